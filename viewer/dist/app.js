var e=globalThis,t=e.ShadowRoot&&(e.ShadyCSS===void 0||e.ShadyCSS.nativeShadow)&&`adoptedStyleSheets`in Document.prototype&&`replace`in CSSStyleSheet.prototype,n=Symbol(),r=new WeakMap,i=class{constructor(e,t,r){if(this._$cssResult$=!0,r!==n)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=t}get styleSheet(){let e=this.o,n=this.t;if(t&&e===void 0){let t=n!==void 0&&n.length===1;t&&(e=r.get(n)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),t&&r.set(n,e))}return e}toString(){return this.cssText}},a=e=>new i(typeof e==`string`?e:e+``,void 0,n),o=(e,...t)=>new i(e.length===1?e[0]:t.reduce((t,n,r)=>t+(e=>{if(!0===e._$cssResult$)return e.cssText;if(typeof e==`number`)return e;throw Error(`Value passed to 'css' function must be a 'css' function result: `+e+`. Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.`)})(n)+e[r+1],e[0]),e,n),s=(n,r)=>{if(t)n.adoptedStyleSheets=r.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let t of r){let r=document.createElement(`style`),i=e.litNonce;i!==void 0&&r.setAttribute(`nonce`,i),r.textContent=t.cssText,n.appendChild(r)}},c=t?e=>e:e=>e instanceof CSSStyleSheet?(e=>{let t=``;for(let n of e.cssRules)t+=n.cssText;return a(t)})(e):e,{is:l,defineProperty:u,getOwnPropertyDescriptor:d,getOwnPropertyNames:f,getOwnPropertySymbols:p,getPrototypeOf:m}=Object,h=globalThis,g=h.trustedTypes,_=g?g.emptyScript:``,v=h.reactiveElementPolyfillSupport,y=(e,t)=>e,ee={toAttribute(e,t){switch(t){case Boolean:e=e?_:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},te=(e,t)=>!l(e,t),ne={attribute:!0,type:String,converter:ee,reflect:!1,useDefault:!1,hasChanged:te};Symbol.metadata??=Symbol(`metadata`),h.litPropertyMetadata??=new WeakMap;var re=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,t=ne){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((t=Object.create(t)).wrapped=!0),this.elementProperties.set(e,t),!t.noAccessor){let n=Symbol(),r=this.getPropertyDescriptor(e,n,t);r!==void 0&&u(this.prototype,e,r)}}static getPropertyDescriptor(e,t,n){let{get:r,set:i}=d(this.prototype,e)??{get(){return this[t]},set(e){this[t]=e}};return{get:r,set(t){let a=r?.call(this);i?.call(this,t),this.requestUpdate(e,a,n)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??ne}static _$Ei(){if(this.hasOwnProperty(y(`elementProperties`)))return;let e=m(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(y(`finalized`)))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(y(`properties`))){let e=this.properties,t=[...f(e),...p(e)];for(let n of t)this.createProperty(n,e[n])}let e=this[Symbol.metadata];if(e!==null){let t=litPropertyMetadata.get(e);if(t!==void 0)for(let[e,n]of t)this.elementProperties.set(e,n)}this._$Eh=new Map;for(let[e,t]of this.elementProperties){let n=this._$Eu(e,t);n!==void 0&&this._$Eh.set(n,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let t=[];if(Array.isArray(e)){let n=new Set(e.flat(1/0).reverse());for(let e of n)t.unshift(c(e))}else e!==void 0&&t.push(c(e));return t}static _$Eu(e,t){let n=t.attribute;return!1===n?void 0:typeof n==`string`?n:typeof e==`string`?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,t=this.constructor.elementProperties;for(let n of t.keys())this.hasOwnProperty(n)&&(e.set(n,this[n]),delete this[n]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return s(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,t,n){this._$AK(e,n)}_$ET(e,t){let n=this.constructor.elementProperties.get(e),r=this.constructor._$Eu(e,n);if(r!==void 0&&!0===n.reflect){let i=(n.converter?.toAttribute===void 0?ee:n.converter).toAttribute(t,n.type);this._$Em=e,i==null?this.removeAttribute(r):this.setAttribute(r,i),this._$Em=null}}_$AK(e,t){let n=this.constructor,r=n._$Eh.get(e);if(r!==void 0&&this._$Em!==r){let e=n.getPropertyOptions(r),i=typeof e.converter==`function`?{fromAttribute:e.converter}:e.converter?.fromAttribute===void 0?ee:e.converter;this._$Em=r;let a=i.fromAttribute(t,e.type);this[r]=a??this._$Ej?.get(r)??a,this._$Em=null}}requestUpdate(e,t,n,r=!1,i){if(e!==void 0){let a=this.constructor;if(!1===r&&(i=this[e]),n??=a.getPropertyOptions(e),!((n.hasChanged??te)(i,t)||n.useDefault&&n.reflect&&i===this._$Ej?.get(e)&&!this.hasAttribute(a._$Eu(e,n))))return;this.C(e,t,n)}!1===this.isUpdatePending&&(this._$ES=this._$EP())}C(e,t,{useDefault:n,reflect:r,wrapped:i},a){n&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,a??t??this[e]),!0!==i||a!==void 0)||(this._$AL.has(e)||(this.hasUpdated||n||(t=void 0),this._$AL.set(e,t)),!0===r&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[e,t]of this._$Ep)this[e]=t;this._$Ep=void 0}let e=this.constructor.elementProperties;if(e.size>0)for(let[t,n]of e){let{wrapped:e}=n,r=this[t];!0!==e||this._$AL.has(t)||r===void 0||this.C(t,void 0,n,r)}}let e=!1,t=this._$AL;try{e=this.shouldUpdate(t),e?(this.willUpdate(t),this._$EO?.forEach(e=>e.hostUpdate?.()),this.update(t)):this._$EM()}catch(t){throw e=!1,this._$EM(),t}e&&this._$AE(t)}willUpdate(e){}_$AE(e){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(e){}firstUpdated(e){}};re.elementStyles=[],re.shadowRootOptions={mode:`open`},re[y(`elementProperties`)]=new Map,re[y(`finalized`)]=new Map,v?.({ReactiveElement:re}),(h.reactiveElementVersions??=[]).push(`2.1.2`);var ie=globalThis,ae=e=>e,oe=ie.trustedTypes,se=oe?oe.createPolicy(`lit-html`,{createHTML:e=>e}):void 0,ce=`$lit$`,b=`lit$${Math.random().toFixed(9).slice(2)}$`,le=`?`+b,ue=`<${le}>`,de=document,fe=()=>de.createComment(``),pe=e=>e===null||typeof e!=`object`&&typeof e!=`function`,me=Array.isArray,he=e=>me(e)||typeof e?.[Symbol.iterator]==`function`,ge=`[ 	
\f\r]`,_e=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,ve=/-->/g,ye=/>/g,be=RegExp(`>|${ge}(?:([^\\s"'>=/]+)(${ge}*=${ge}*(?:[^ \t\n\f\r"'\`<>=]|("|')|))|$)`,`g`),xe=/'/g,Se=/"/g,Ce=/^(?:script|style|textarea|title)$/i,we=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),x=we(1),Te=we(2),Ee=Symbol.for(`lit-noChange`),S=Symbol.for(`lit-nothing`),De=new WeakMap,Oe=de.createTreeWalker(de,129);function ke(e,t){if(!me(e)||!e.hasOwnProperty(`raw`))throw Error(`invalid template strings array`);return se===void 0?t:se.createHTML(t)}var Ae=(e,t)=>{let n=e.length-1,r=[],i,a=t===2?`<svg>`:t===3?`<math>`:``,o=_e;for(let t=0;t<n;t++){let n=e[t],s,c,l=-1,u=0;for(;u<n.length&&(o.lastIndex=u,c=o.exec(n),c!==null);)u=o.lastIndex,o===_e?c[1]===`!--`?o=ve:c[1]===void 0?c[2]===void 0?c[3]!==void 0&&(o=be):(Ce.test(c[2])&&(i=RegExp(`</`+c[2],`g`)),o=be):o=ye:o===be?c[0]===`>`?(o=i??_e,l=-1):c[1]===void 0?l=-2:(l=o.lastIndex-c[2].length,s=c[1],o=c[3]===void 0?be:c[3]===`"`?Se:xe):o===Se||o===xe?o=be:o===ve||o===ye?o=_e:(o=be,i=void 0);let d=o===be&&e[t+1].startsWith(`/>`)?` `:``;a+=o===_e?n+ue:l>=0?(r.push(s),n.slice(0,l)+ce+n.slice(l)+b+d):n+b+(l===-2?t:d)}return[ke(e,a+(e[n]||`<?>`)+(t===2?`</svg>`:t===3?`</math>`:``)),r]},je=class e{constructor({strings:t,_$litType$:n},r){let i;this.parts=[];let a=0,o=0,s=t.length-1,c=this.parts,[l,u]=Ae(t,n);if(this.el=e.createElement(l,r),Oe.currentNode=this.el.content,n===2||n===3){let e=this.el.content.firstChild;e.replaceWith(...e.childNodes)}for(;(i=Oe.nextNode())!==null&&c.length<s;){if(i.nodeType===1){if(i.hasAttributes())for(let e of i.getAttributeNames())if(e.endsWith(ce)){let t=u[o++],n=i.getAttribute(e).split(b),r=/([.?@])?(.*)/.exec(t);c.push({type:1,index:a,name:r[2],strings:n,ctor:r[1]===`.`?Ie:r[1]===`?`?Le:r[1]===`@`?Re:Fe}),i.removeAttribute(e)}else e.startsWith(b)&&(c.push({type:6,index:a}),i.removeAttribute(e));if(Ce.test(i.tagName)){let e=i.textContent.split(b),t=e.length-1;if(t>0){i.textContent=oe?oe.emptyScript:``;for(let n=0;n<t;n++)i.append(e[n],fe()),Oe.nextNode(),c.push({type:2,index:++a});i.append(e[t],fe())}}}else if(i.nodeType===8){if(i.data===le)c.push({type:2,index:a});else{let e=-1;for(;(e=i.data.indexOf(b,e+1))!==-1;)c.push({type:7,index:a}),e+=b.length-1}}a++}}static createElement(e,t){let n=de.createElement(`template`);return n.innerHTML=e,n}};function Me(e,t,n=e,r){if(t===Ee)return t;let i=r===void 0?n._$Cl:n._$Co?.[r],a=pe(t)?void 0:t._$litDirective$;return i?.constructor!==a&&(i?._$AO?.(!1),a===void 0?i=void 0:(i=new a(e),i._$AT(e,n,r)),r===void 0?n._$Cl=i:(n._$Co??=[])[r]=i),i!==void 0&&(t=Me(e,i._$AS(e,t.values),i,r)),t}var Ne=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:n}=this._$AD,r=(e?.creationScope??de).importNode(t,!0);Oe.currentNode=r;let i=Oe.nextNode(),a=0,o=0,s=n[0];for(;s!==void 0;){if(a===s.index){let t;s.type===2?t=new Pe(i,i.nextSibling,this,e):s.type===1?t=new s.ctor(i,s.name,s.strings,this,e):s.type===6&&(t=new ze(i,this,e)),this._$AV.push(t),s=n[++o]}a!==s?.index&&(i=Oe.nextNode(),a++)}return Oe.currentNode=de,r}p(e){let t=0;for(let n of this._$AV)n!==void 0&&(n.strings===void 0?n._$AI(e[t]):(n._$AI(e,n,t),t+=n.strings.length-2)),t++}},Pe=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,n,r){this.type=2,this._$AH=S,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=n,this.options=r,this._$Cv=r?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=Me(this,e,t),pe(e)?e===S||e==null||e===``?(this._$AH!==S&&this._$AR(),this._$AH=S):e!==this._$AH&&e!==Ee&&this._(e):e._$litType$===void 0?e.nodeType===void 0?he(e)?this.k(e):this._(e):this.T(e):this.$(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==S&&pe(this._$AH)?this._$AA.nextSibling.data=e:this.T(de.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:n}=e,r=typeof n==`number`?this._$AC(e):(n.el===void 0&&(n.el=je.createElement(ke(n.h,n.h[0]),this.options)),n);if(this._$AH?._$AD===r)this._$AH.p(t);else{let e=new Ne(r,this),n=e.u(this.options);e.p(t),this.T(n),this._$AH=e}}_$AC(e){let t=De.get(e.strings);return t===void 0&&De.set(e.strings,t=new je(e)),t}k(t){me(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,i=0;for(let a of t)i===n.length?n.push(r=new e(this.O(fe()),this.O(fe()),this,this.options)):r=n[i],r._$AI(a),i++;i<n.length&&(this._$AR(r&&r._$AB.nextSibling,i),n.length=i)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let t=ae(e).nextSibling;ae(e).remove(),e=t}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},Fe=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,n,r,i){this.type=1,this._$AH=S,this._$AN=void 0,this.element=e,this.name=t,this._$AM=r,this.options=i,n.length>2||n[0]!==``||n[1]!==``?(this._$AH=Array(n.length-1).fill(new String),this.strings=n):this._$AH=S}_$AI(e,t=this,n,r){let i=this.strings,a=!1;if(i===void 0)e=Me(this,e,t,0),a=!pe(e)||e!==this._$AH&&e!==Ee,a&&(this._$AH=e);else{let r=e,o,s;for(e=i[0],o=0;o<i.length-1;o++)s=Me(this,r[n+o],t,o),s===Ee&&(s=this._$AH[o]),a||=!pe(s)||s!==this._$AH[o],s===S?e=S:e!==S&&(e+=(s??``)+i[o+1]),this._$AH[o]=s}a&&!r&&this.j(e)}j(e){e===S?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??``)}},Ie=class extends Fe{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===S?void 0:e}},Le=class extends Fe{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==S)}},Re=class extends Fe{constructor(e,t,n,r,i){super(e,t,n,r,i),this.type=5}_$AI(e,t=this){if((e=Me(this,e,t,0)??S)===Ee)return;let n=this._$AH,r=e===S&&n!==S||e.capture!==n.capture||e.once!==n.once||e.passive!==n.passive,i=e!==S&&(n===S||r);r&&this.element.removeEventListener(this.name,this,n),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH==`function`?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},ze=class{constructor(e,t,n){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=n}get _$AU(){return this._$AM._$AU}_$AI(e){Me(this,e)}},Be={M:ce,P:b,A:le,C:1,L:Ae,R:Ne,D:he,V:Me,I:Pe,H:Fe,N:Le,U:Re,B:Ie,F:ze},Ve=ie.litHtmlPolyfillSupport;Ve?.(je,Pe),(ie.litHtmlVersions??=[]).push(`3.3.3`);var He=(e,t,n)=>{let r=n?.renderBefore??t,i=r._$litPart$;if(i===void 0){let e=n?.renderBefore??null;r._$litPart$=i=new Pe(t.insertBefore(fe(),e),e,void 0,n??{})}return i._$AI(e),i},Ue=globalThis,C=class extends re{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=He(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return Ee}};C._$litElement$=!0,C.finalized=!0,Ue.litElementHydrateSupport?.({LitElement:C});var We=Ue.litElementPolyfillSupport;We?.({LitElement:C}),(Ue.litElementVersions??=[]).push(`4.2.2`);var w=e=>(t,n)=>{n===void 0?customElements.define(e,t):n.addInitializer(()=>{customElements.define(e,t)})},Ge={attribute:!0,type:String,converter:ee,reflect:!1,hasChanged:te},Ke=(e=Ge,t,n)=>{let{kind:r,metadata:i}=n,a=globalThis.litPropertyMetadata.get(i);if(a===void 0&&globalThis.litPropertyMetadata.set(i,a=new Map),r===`setter`&&((e=Object.create(e)).wrapped=!0),a.set(n.name,e),r===`accessor`){let{name:r}=n;return{set(n){let i=t.get.call(this);t.set.call(this,n),this.requestUpdate(r,i,e,!0,n)},init(t){return t!==void 0&&this.C(r,void 0,e,t),t}}}if(r===`setter`){let{name:r}=n;return function(n){let i=this[r];t.call(this,n),this.requestUpdate(r,i,e,!0,n)}}throw Error(`Unsupported decorator location: `+r)};function T(e){return(t,n)=>typeof n==`object`?Ke(e,t,n):((e,t,n)=>{let r=t.hasOwnProperty(n);return t.constructor.createProperty(n,e),r?Object.getOwnPropertyDescriptor(t,n):void 0})(e,t,n)}function E(e){return T({...e,state:!0,attribute:!1})}var qe=e=>(...t)=>({_$litDirective$:e,values:t}),Je=class{constructor(e){}get _$AU(){return this._$AM._$AU}_$AT(e,t,n){this._$Ct=e,this._$AM=t,this._$Ci=n}_$AS(e,t){return this.update(e,t)}update(e,t){return this.render(...t)}},{I:Ye}=Be,Xe={},Ze=(e,t=Xe)=>e._$AH=t,Qe=qe(class extends Je{constructor(){super(...arguments),this.key=S}render(e,t){return this.key=e,t}update(e,[t,n]){return t!==this.key&&(Ze(e),this.key=t),n}}),D=o`
  * {
    box-sizing: border-box;
  }
  :host {
    display: block;
    font: 13px/1.4 var(--font);
    color: var(--text);
  }
  button,
  select,
  input {
    font: inherit;
    color: inherit;
  }
  button {
    background: transparent;
    border: 1px solid transparent;
    border-radius: 5px;
    padding: 2px 8px;
    min-height: 26px;
    cursor: pointer;
  }
  button:hover:not(:disabled) {
    background: var(--raised);
  }
  button:disabled {
    color: var(--muted);
    opacity: 0.6;
    cursor: default;
  }
  button.line {
    border-color: var(--line);
    background: var(--panel);
  }
  button[aria-pressed="true"],
  button[aria-selected="true"] {
    background: var(--accent-soft);
    color: var(--text);
  }
  select,
  input:not([type="checkbox"]):not([type="radio"]) {
    background: var(--panel);
    border: 1px solid var(--line-strong);
    border-radius: 5px;
    padding: 2px 6px;
    min-height: 26px;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  a {
    color: var(--accent);
  }
  h1,
  h2,
  h3 {
    margin: 0;
    font-weight: 600;
    line-height: 1.3;
  }
  kbd {
    font: 11px var(--mono);
    border: 1px solid var(--line);
    border-bottom-width: 2px;
    border-radius: 4px;
    padding: 0 5px;
    background: var(--raised);
    white-space: nowrap;
  }
  .muted {
    color: var(--muted);
  }
  .number {
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .mono {
    font-family: var(--mono);
    font-size: 12px;
  }
  .hidden-text {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .note {
    margin: 0;
    padding: 14px;
    color: var(--muted);
  }
  .error {
    padding: 14px;
  }
  .error b {
    color: var(--bad);
  }
`,$e=o`
  .controls {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 6px;
    align-items: center;
    padding: 4px 8px;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
    font-size: 12px;
  }
  .controls label {
    display: inline-flex;
    gap: 4px;
    align-items: center;
    color: var(--muted);
  }
  .controls select {
    color: var(--text);
    min-height: 24px;
    padding: 1px 4px;
    max-width: 104px;
  }
  .controls .space {
    flex: 1;
  }
`,et=o`
  :host {
    overflow: auto;
    height: 100%;
  }
  .page {
    max-width: 1360px;
    margin: 0 auto;
    padding: 14px 18px 40px;
    display: grid;
    gap: 14px;
    align-items: start;
  }
  .wide {
    grid-column: 1 / -1;
  }
  .card {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 8px;
    overflow: hidden;
  }
  .card > h2 {
    font-size: 13px;
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
    display: flex;
    justify-content: space-between;
    gap: 10px;
    align-items: baseline;
  }
  .card > h2 .muted {
    font-weight: 400;
    font-size: 12px;
  }
  table {
    width: 100%;
    border-spacing: 0;
    font-size: 12px;
  }
  th,
  td {
    padding: 3px 12px 3px 0;
    text-align: right;
    border-bottom: 1px solid var(--line);
  }
  th {
    color: var(--muted);
    font-weight: 600;
  }
  th:first-child,
  td:first-child {
    text-align: left;
    padding-left: 12px;
  }
`,tt=o`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
  mp-vtable {
    flex: 1;
  }
`,nt=o`
  section {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 8px;
  }
  section > h2 {
    font-size: 13px;
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
    display: flex;
    justify-content: space-between;
  }
  h2 .muted {
    font-weight: 400;
    font-size: 12px;
  }
`,rt=o`
  h3 {
    font-size: 13px;
  }
  p {
    margin: 3px 0 0;
    overflow-wrap: anywhere;
  }
  .advice {
    border-left: 3px solid var(--good);
    padding-left: 8px;
    margin-top: 6px;
  }
  .more {
    padding: 8px 12px;
  }
`,it=[`before`,`after`];function at(e){return e.comparison.isTwo?x`<span class="run-word side${e.side}" title=${e.run?.name??``}>${it[e.side]}</span>`:S}function ot(e){return x`${at(e)} <b class="run-name">${e.run?.name??(e.error?`not there`:`…`)}</b>`}var st=o`
  .run-word {
    font-size: 11px;
    font-weight: 600;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    padding: 0 6px;
    background: var(--panel);
    color: var(--text);
  }
  .run-word.side0 {
    border-left: 4px solid var(--before);
  }
  .run-word.side1 {
    border-left: 4px solid var(--after);
  }
  .run-name {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
`;function ct(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}function lt(e,t,n){let r=0,i=e;for(;Math.abs(i)>=t-.5&&r<n.length-1;)i/=t,r++;return`${r===0&&Number.isInteger(i)?String(i):ct(i)} ${n[r]}`}function O(e){return Number.isFinite(e)?e===0?`0 s`:lt(e,1e3,[`ns`,`µs`,`ms`,`s`]):`–`}function k(e){return Number.isFinite(e)?lt(e,1024,[`B`,`KiB`,`MiB`,`GiB`,`TiB`]):`–`}function ut(e){return Number.isFinite(e)?`${lt(e,1024,[`B`,`KiB`,`MiB`,`GiB`,`TiB`])}/s`:`–`}function A(e){return Number.isFinite(e)?Math.round(e).toString().replace(/\B(?=(\d{3})+(?!\d))/g,` `):`–`}function j(e){return Number.isFinite(e)?Math.abs(e)<1e4?A(e):lt(e,1e3,[``,`k`,`M`,`G`,`T`]):`–`}function M(e){if(!Number.isFinite(e))return`–`;let t=e*100;return t!==0&&Math.abs(t)<.1?`< 0.1 %`:`${t.toFixed(1)} %`}function dt(e){return Number.isFinite(e)?Number.isInteger(e)?A(e):ct(e):`–`}function ft(e,t){return t===`ns`?O(e):t===`bytes`?k(e):t===`bytes/ns`?ut(e*1e9):t?`${dt(e)} ${t}`:dt(e)}function N(e,t){if(!Number.isFinite(e))return`–`;let n=Math.min(9,Math.max(0,Math.ceil(9-Math.log10(Math.max(1,t))-1e-9))),r=e<0?`−`:``,i=Math.round(Math.abs(e)/10**(9-n)).toString().padStart(n+1,`0`),a=i.slice(0,i.length-n),o=n?i.slice(i.length-n).match(/\d{1,3}/g)??[]:[];return`${r}${a}${n?`.${o.join(` `)}`:``} s`}function pt(e){let t=[...new Set(e)].sort((e,t)=>e-t),n=[];for(let e=0;e<t.length;){let r=e;for(;r+1<t.length&&t[r+1]===t[r]+1;)r++;n.push(r===e?`${t[e]}`:`${t[e]}-${t[r]}`),e=r+1}return n.join(`,`)}function mt(e,t){let n=new Set;for(let r of e.split(`,`).map(e=>e.trim()).filter(Boolean)){let e=/^(\d+)(?:\s*-\s*(\d+))?$/.exec(r);if(!e)return null;let i=Number(e[1]),a=Math.min(Number(e[2]??e[1]),t-1);for(let e=i;e<=a;e++)n.add(e)}return[...n].sort((e,t)=>e-t)}var ht=Object.freeze({by:`init`});function gt(e){return e.by===`iteration`?`iteration:${e.number}`:e.by===`phase`?`phase:${e.number}:${e.name}`:e.by===`region`?`region:${e.name}`:e.by===`at`?`at:${e.moments.join(`~`)}`:e.by}function _t(e){if(e===`start`)return{by:`start`};let t=/^iteration:(\d{1,9})$/.exec(e);if(t)return{by:`iteration`,number:Number(t[1])};let n=/^phase:(\d{1,9}):(.{1,200})$/.exec(e);if(n)return{by:`phase`,number:Number(n[1]),name:n[2]};let r=/^region:(.{1,200})$/.exec(e);if(r)return{by:`region`,name:r[1]};let i=/^at:(-?\d{1,16})~(-?\d{1,16})$/.exec(e);return i?{by:`at`,moments:[Number(i[1]),Number(i[2])]}:ht}function vt(e,{run:t,begins:n},r){switch(e.by){case`start`:return t.from_ns;case`init`:{let e=t.ranks.rows_from_ns??[];return e.length?e.reduce((e,t)=>Math.min(e,t)):null}case`iteration`:return t.iterations?.from_ns[e.number]??null;case`phase`:{let n=t.iterations?.from_ns[e.number],r=t.iterations?.until_ns[e.number],i=t.iterations?.phases?.find(({name:t})=>t===e.name);return n===void 0||r===void 0||!i?null:n+(r-n)*i.from}case`region`:return n.get(e.name)??null;case`at`:return e.moments[r]}}function yt(e,t,n){let[r,i]=[vt(e,t,0),vt(e,n,1)];return r===null||i===null?null:Math.round(i-r)}var bt=[`table`,`scatter`,`histogram`,`matrix`,`events`,`differences`],xt=[`messages`,`collectives`,`waits`,`path`,`regions`],St=Object.freeze({ranks:null,functions:null,comm:null,site:null,region:null,peer:null,peers:null,tag:null,bytes_min:null,bytes_max:null,duration_min:null,duration_max:null,host:null,iteration:null,thread:null}),P=Object.freeze({page:`overview`,from:null,until:null,row_from:null,row_until:null,order:``,filter:St,selection:null,area:null,hidden:[],skipped:[],colouring:`function`,layers:[`messages`,`collectives`,`waits`],left:`table`,right:`scatter`,scope:`window`,table:{by:`function`,sort:`total_ns`,ascending:!1},scatter:{x:`end`,y:`duration`,x_log:!1,y_log:!0,of:`calls`,x_min:null,x_max:null,y_min:null,y_max:null},histogram:{field:`duration`,is_log:!0,of:`calls`},matrix:{by:`rank`,value:`bytes`,comm:null},twins:[],finding:null,about:0,other:null,align:ht,differences:{by:`function`,sort:`difference`,ascending:!1}}),Ct=e=>Object.values(e).some(e=>e!==null),wt=e=>Object.entries(e).every(([e,t])=>t===null||e===`functions`);function Tt(e,t){let n=Math.max(e.until_ns,e.from_ns+20);return{from:e.from_ns,until:n,row_from:0,row_until:Math.max(1,t)}}function Et(e,t){return{from:e.from??t.from,until:e.until??t.until,row_from:e.row_from??t.row_from,row_until:Math.min(e.row_until??t.row_until,Math.max(t.row_until,1))}}var Dt=(e,t,n)=>Math.max(t,Math.min(n,e));function Ot(e,t){let n=Dt(e.until-e.from,20,t.until-t.from),r=Dt(e.from,t.from,t.until-n),i=Dt(e.row_until-e.row_from,Math.min(1,t.row_until),t.row_until-t.row_from),a=Dt(e.row_from,t.row_from,t.row_until-i);return{from:r,until:r+n,row_from:a,row_until:a+i}}function kt(e,t,n,r){let i=e.until-e.from,a=Dt(i*n,20,t.until-t.from),o=e.from+i*r;return Ot({...e,from:o-a*r,until:o+a*(1-r)},t)}function At(e,t,n,r){let i=e.row_until-e.row_from,a=Dt(i*n,1,t.row_until-t.row_from),o=e.row_from+i*r;return Ot({...e,row_from:o-a*r,row_until:o+a*(1-r)},t)}function jt(e,t,n,r){let i=(e.until-e.from)*n,a=(e.row_until-e.row_from)*r;return Ot({from:e.from+i,until:e.until+i,row_from:e.row_from+a,row_until:e.row_until+a},t)}function Mt(e,t,n,r,i){let a=Math.max(e.until-e.from,(r-n)*1.2),o=(n+r)/2;return Ot({...e,from:o-a/2,until:o+a/2,...Pt(e,i)},t)}function Nt(e,t,n,r,i){let a=Math.max((r-n)*3,20),o=(n+r)/2;return Ot({...e,from:o-a/2,until:o+a/2,...Pt(e,i)},t)}function Pt(e,t){let n=e.row_until-e.row_from;if(t===null||t>=e.row_from&&t+1<=e.row_until)return{row_from:e.row_from,row_until:e.row_until};let r=t+.5-n/2;return{row_from:r,row_until:r+n}}function Ft(e,t){let n=e.from<=t.from&&e.until>=t.until,r=e.row_from<=t.row_from&&e.row_until>=t.row_until,i=e=>Math.round(e*1e3)/1e3;return{from:n?null:Math.round(e.from),until:n?null:Math.max(Math.round(e.until),Math.round(e.from)+1),row_from:r?null:i(e.row_from),row_until:r?null:i(e.row_until)}}function It(e,t,n){let r=e.rankOfWorld(n.rank),i=e.positions[r]??-1,a=Nt(e.whole,e.whole,n.start_ns,n.end_ns,i<0?null:i);e.store.set({page:`views`,finding:t,area:null,selection:n.row===null?null:{rank:r,row:n.row},...Ft({...a,row_from:0,row_until:e.rows},e.whole),layers:[...new Set([...e.store.state.layers,`waits`,`messages`,`collectives`])]})}function Lt(e,t,n){let r=[n.evidence.function,...Array.isArray(n.evidence.functions)?n.evidence.functions:[]].map(t=>typeof t==`string`?e.names?.functionId(t)??null:null).filter(e=>e!==null),i={page:`views`,finding:t,filter:{...St,functions:r.length?r:null},area:null,selection:null,from:null,until:null,left:`table`,right:`scatter`,table:{by:n.sites.length>1?`site`:`rank`,sort:`total_ns`,ascending:!1},scatter:{...e.store.state.scatter,x:`end`,y:`duration`,x_min:null,x_max:null,y_min:null,y_max:null}};e.store.set(i)}var F=class{#e;#t;#n=()=>{this.#t?.(),this.#e.requestUpdate()};constructor(e,t=null){this.#e=e,this.#t=t,e.addController(this)}hostConnected(){this.#e.app.comparison.addEventListener(`change`,this.#n),queueMicrotask(()=>this.#t?.())}hostDisconnected(){this.#e.app.comparison.removeEventListener(`change`,this.#n)}};function I(e){return e.status===409?Rt():x`<div class="error" role="alert"><b>${zt(e.message)}</b><br />${e.next}</div>`}function Rt(){return x`<p class="note">This is available when the run is read.</p>`}var zt=e=>{let t=e.charAt(0).toUpperCase()+e.slice(1);return/[.!?]$/.test(t)?t:`${t}.`};function L(e,t){if(e.isLog){let n=Math.log(Math.max(e.min,Number.MIN_VALUE)),r=Math.log(Math.max(e.max,Number.MIN_VALUE));return r>n?(Math.log(Math.max(t,Number.MIN_VALUE))-n)/(r-n):.5}return e.max>e.min?(t-e.min)/(e.max-e.min):.5}function Bt(e,t){if(e.isLog){let n=Math.log(Math.max(e.min,Number.MIN_VALUE)),r=Math.log(Math.max(e.max,Number.MIN_VALUE));return Math.exp(n+(r-n)*t)}return e.min+(e.max-e.min)*t}function Vt(e,t,n=!1){let r=e/Math.max(1,t);if(!(r>0)||!Number.isFinite(r))return 1;if(n)return 2**Math.ceil(Math.log2(r));let i=10**Math.floor(Math.log10(r));for(let e of[1,2,5,10])if(e*i>=r*(1-1e-9))return e*i;return 10*i}function Ht(e,t,n,r=!1){let i=Vt(t-e,n,r),a=[];for(let n=Math.ceil(e/i-1e-9);n*i<=t+i*1e-9;n++)a.push(n*i);return a}function Ut(e,t,n,r=!1){let i=r?2:10,a=Math.ceil(Math.log(Math.max(e,Number.MIN_VALUE))/Math.log(i)-1e-9),o=Math.floor(Math.log(Math.max(t,Number.MIN_VALUE))/Math.log(i)+1e-9),s=Math.max(1,Math.ceil((o-a+1)/Math.max(1,n))),c=[];for(let e=a;e<=o;e++)(e-a)%s===0&&c.push(i**e);return c.length>=2?c:Ht(e,t,Math.min(n,4),r)}function Wt(e,t,n=``){let r=n===`bytes`;return e.isLog?Ut(e.min,e.max,t,r):Ht(e.min,e.max,t,r)}var Gt=60,Kt=18,qt=26,Jt=20,Yt=14,Xt=10;function Zt(e,t,n,r){let i=r?Kt:0,a=Gt+i,o=n?Yt:0,s=46+o;return{width:e,height:t,left:a,top:s,plotWidth:Math.max(1,e-a-Xt),plotHeight:Math.max(1,t-s-2),mapTop:0,mapHeight:qt,axisTop:qt,axisHeight:Jt,rulerTop:46,rulerHeight:o,groupWidth:i}}var R=(e,t,n)=>e.left+(n-t.from)/(t.until-t.from)*e.plotWidth,Qt=(e,t,n)=>t.from+(n-e.left)/e.plotWidth*(t.until-t.from),z=(e,t,n)=>e.top+(n-t.row_from)/(t.row_until-t.row_from)*e.plotHeight,$t=(e,t,n)=>t.row_from+(n-e.top)/e.plotHeight*(t.row_until-t.row_from),B=(e,t)=>e.plotHeight/(t.row_until-t.row_from);function en(e,t,n){return n<e.mapHeight?t>=e.left&&t<=e.left+e.plotWidth?`map`:`none`:t>e.left+e.plotWidth?n>=e.top?`scroll`:`none`:n<e.axisTop+e.axisHeight?t>=e.left?`axis`:`none`:n<e.top?t>=e.left?`ruler`:`none`:t<e.left?`gutter`:`plot`}function tn(e,t){let n=(e.until-e.from)/2,r=(e.row_until-e.row_from)/4;return{from:Math.max(t.from,Math.floor(e.from-n)),until:Math.min(t.until,Math.ceil(e.until+n)),row_from:Math.max(0,Math.floor(e.row_from-r)),row_until:Math.min(t.row_until,Math.ceil(e.row_until+r))}}function nn(e,t,n){let r=(t.until-t.from)*1e-6;if(e.from>t.from+r||e.until<t.until-r||e.row_from>t.row_from+1e-6||e.row_until<t.row_until-1e-6)return!1;let i=e.nsPerPx/((t.until-t.from)/n.plotWidth),a=e.rowsPerPx/((t.row_until-t.row_from)/n.plotHeight);return i>.6&&i<1.25&&a>.75&&a<1.3}var rn={classes:{send:{light:`#0a68a6`,dark:`#2f86c8`},receive:{light:`#1d7f6e`,dark:`#84cabe`},completion:{light:`#e8a838`,dark:`#c98d2b`},probe:{light:`#b8a000`,dark:`#d3c64a`},barrier:{light:`#96182e`,dark:`#c86375`},collective:{light:`#d481b0`,dark:`#ad5b8a`},rma:{light:`#7a55b8`,dark:`#a98be8`},file:{light:`#8c6239`,dark:`#c49a6c`},objects:{light:`#6b8e23`,dark:`#8aab4e`},setup:{light:`#6d7684`,dark:`#5d687b`},local:{light:`#9aa4b2`,dark:`#75808f`}},compute:{light:`#e7eaef`,dark:`#262e39`},hatch:{light:`#2a1a00`,dark:`#07090c`},absent:{light:`#f5f6f8`,dark:`#11151b`},steps:[0,-.28,.3,-.14,.16],ink:{light:{text:`#1a1f27`,muted:`#586172`,line:`#d5d9e0`,faint:`#eceef2`,panel:`#ffffff`,background:`#f5f6f8`,compute:`#e7eaef`,accent:`#1257b8`,shade:`rgba(70, 80, 100, 0.28)`,selection:`#111111`,arrow:`rgba(20, 24, 32, 0.5)`,collective:`rgba(150, 40, 110, 0.55)`,path:`#c2101c`,absent:`#c9ced6`,phases:[`#dfe4ec`,`#ccd3de`]},dark:{text:`#e3e8ef`,muted:`#9ca8b9`,line:`#2e3744`,faint:`#1e242d`,panel:`#181d25`,background:`#11151b`,compute:`#262e39`,accent:`#7db5ff`,shade:`rgba(0, 0, 0, 0.5)`,selection:`#ffffff`,arrow:`rgba(245, 248, 252, 0.55)`,collective:`rgba(240, 160, 215, 0.55)`,path:`#ff6b6b`,absent:`#3a4453`,phases:[`#2a323e`,`#353f4d`]}}},V=rn.ink,an=`11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`,H=`10px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`,on=105;function sn(e,{app:t,layout:n,whole:r,window:i,pictures:a,ink:o}){let s=n.mapTop+3,c=n.mapHeight-6,l=r.until-r.from,u=cn(t.run,r),d=e=>n.left+(e-r.from)/l*n.plotWidth;e.fillStyle=o.compute,e.fillRect(d(u.from),s,d(u.until)-d(u.from),c);let f=a.base;if(f){e.imageSmoothingEnabled=!0;let[t,n]=[Math.max(u.from,f.from),Math.min(u.until,f.until)],r=f.bitmap.width/(f.until-f.from);n>t&&e.drawImage(f.bitmap,(t-f.from)*r,0,(n-t)*r,f.bitmap.height,d(t),s,d(n)-d(t),c)}let p=n.left+(i.from-r.from)/l*n.plotWidth,m=Math.max(p+2,n.left+(i.until-r.from)/l*n.plotWidth);(p>n.left||m<n.left+n.plotWidth-.5)&&(e.fillStyle=o.shade,e.fillRect(n.left,s,p-n.left,c),e.fillRect(m,s,n.left+n.plotWidth-m,c),e.strokeStyle=o.accent,e.lineWidth=2,e.strokeRect(p,s-1,m-p,c+2)),e.font=H,e.textAlign=`right`,e.textBaseline=`middle`,e.fillStyle=o.muted,e.fillText(t.comparison.isTwo?`both runs`:`whole run`,n.left-6,s+c/2)}function cn(e,t){return e?{from:Math.max(e.from_ns,t.from),until:Math.min(Math.max(e.until_ns,e.from_ns),t.until)}:t}function ln(e,t,n){let r=Vt(t-e,n),i=Ht(e,t,n);if(r>=1e5)return{base:null,step:r,ticks:i,texts:i.map(e=>N(e,r))};let a=10**Math.ceil(Math.log10(t-e)),o=Math.floor(e/a)*a;return{base:o,step:r,ticks:i,texts:i.map(e=>`+${O(Math.round((e-o)*1e3)/1e3)}`)}}function un(e,{layout:t,window:n,ink:r}){let i=t.axisTop,{base:a,ticks:o,texts:s}=ln(n.from,n.until,Math.max(2,t.plotWidth/on));e.strokeStyle=r.line,e.lineWidth=1,e.font=an,e.textBaseline=`middle`,e.textAlign=`left`,o.forEach((a,o)=>{let c=Math.round(R(t,n,a))+.5;e.beginPath(),e.moveTo(c,i+4),e.lineTo(c,i+t.axisHeight),e.stroke(),c+60>t.left+t.plotWidth||(e.fillStyle=r.muted,e.fillText(s[o],c+4,i+t.axisHeight/2+1))}),a!==null&&(e.textAlign=`right`,e.fillStyle=r.text,e.font=H,e.fillText(N(a,10**Math.floor(Math.log10(Math.max(1,n.until-n.from)))),t.left-4,i+t.axisHeight/2+1,t.left-6))}function dn(e,{app:t,layout:n,window:r,ink:i}){let a=t.run?.iterations;if(!a||!n.rulerHeight)return;let o=n.rulerTop,s=n.rulerHeight-3,{from_ns:c,until_ns:l,phases:u}=a;e.font=H,e.textBaseline=`middle`,e.textAlign=`right`,e.fillStyle=i.muted,e.fillText(`iteration`,n.left-6,o+s/2),e.save(),e.beginPath(),e.rect(n.left,o,n.plotWidth,s),e.clip();let d=fn(l,r.from),f=(c.length>1?(c[c.length-1]-c[0])/(c.length-1):r.until-r.from)/(r.until-r.from)*n.plotWidth,p=f>=3?1:Math.ceil(3/Math.max(f,1e-9)),m=p*Math.max(1,Vt(Math.ceil(34/Math.max(f,1e-9)/p),1));d=Math.max(0,d-d%p);let h=function*(e){for(let t=d-d%e;t<c.length&&c[t]<r.until;t+=e)yield[t,R(n,r,c[t]),R(n,r,l[Math.min(t+e-1,l.length-1)])]};for(let[t,n,r]of h(p))if(e.fillStyle=i.phases[t/p%2],e.fillRect(n,o,Math.max(1,r-n),s),!(!u||r-n<160))for(let t of u){let a=n+(r-n)*t.from;e.fillStyle=i.muted,e.fillRect(a,o,1,s);let c=t.name.replace(/^computation between .*/,`computation`);a>n+20&&(r-n)*(t.until-t.from)>e.measureText(c).width+8&&(e.textAlign=`left`,e.fillText(c,a+4,o+s/2+.5))}e.fillStyle=i.text,e.textAlign=`left`;let g=n.left;for(let[t,r,i]of h(m)){let a=Math.max(r,n.left)+3;i<=n.left||a<g||(e.fillText(String(t),a,o+s/2+.5),g=a+e.measureText(String(t)).width+8)}e.restore()}function fn(e,t){let n=0,r=e.length;for(;n<r;){let i=n+r>>1;e[i]<t?n=i+1:r=i}return n}function pn(e,{app:t,layout:n,window:r,ink:i}){let a=B(n,r);e.save(),e.beginPath(),e.rect(0,n.top,n.left,n.plotHeight),e.clip();let o=t.order?.value??null,s=0;if(o)for(let e of o)s=Math.max(s,e);let c=a>=13?1:Math.max(1,Vt(Math.ceil(13/a),1)),l=t.store.state.selection?t.positions[t.store.state.selection.rank]??-1:-1;e.font=an,e.textAlign=`right`,e.textBaseline=`middle`;for(let u=Math.max(0,Math.floor(r.row_from/c)*c);u<Math.min(t.rows,r.row_until);u+=c){let d=z(n,r,u),f=l>=u&&l<u+c;if(o&&s>0){e.fillStyle=i.line;let t=(o[u]??0)/s*(n.left-n.groupWidth-4);e.fillRect(n.left-2-t,d+1,t,Math.max(1,a*c-2))}e.fillStyle=f?i.accent:i.text;let p=t.worldRank(t.rankAt(f&&c>1?l:u));e.fillText(String(p),n.left-6,d+Math.max(a/2,6)+.5)}mn(e,t.order?.groups??[],{l:n,w:r,ink:i}),e.restore(),e.fillStyle=i.muted,e.font=H,n.rulerHeight||(e.textAlign=`right`,e.fillText(`rank`,n.left-6,n.top-5)),e.fillStyle=i.line,e.fillRect(n.left-1,n.top,1,n.plotHeight)}function mn(e,t,{l:n,w:r,ink:i}){t.forEach((t,a)=>{let o=Math.max(n.top,z(n,r,t.from)),s=Math.min(n.top+n.plotHeight,z(n,r,t.until));s<=o||(e.fillStyle=i.phases[a%2],e.fillRect(0,o,n.groupWidth-2,s-o-1),e.fillStyle=i.text,e.font=H,s-o<30||(e.save(),e.translate(n.groupWidth/2-1,(o+s)/2),e.rotate(-Math.PI/2),e.textAlign=`center`,e.fillText(t.text,0,0,s-o-4),e.restore()))})}function hn(e,{whole:t,window:n,layout:r,ink:i}){let a=t.row_until-t.row_from;if(n.row_until-n.row_from>=a-1e-6)return;let o=r.left+r.plotWidth+2,s=r.top+(n.row_from-t.row_from)/a*r.plotHeight,c=Math.max(12,(n.row_until-n.row_from)/a*r.plotHeight);e.fillStyle=i.faint,e.fillRect(o,r.top,7,r.plotHeight),e.fillStyle=i.muted,e.fillRect(o,Math.min(s,r.top+r.plotHeight-c),7,c)}function gn({app:e,window:t,pictures:n}){let r=`${Math.max(0,Math.floor(t.row_from))} to ${Math.max(0,Math.ceil(t.row_until)-1)}`,i=(t.until-t.from)/1e3,a=n.cells?`, about ${j(n.cells.head.calls_total)} calls`:``;return`Timeline of ${e.store.state.order?`rows`:`ranks`} ${r} from ${N(t.from,i)} to ${N(t.until,i)}${a}`}var _n=65535;function vn(e,t,n,r,i){let a=-1,o=1/0;for(let s=0;s<e.length;s++){if(e.rank[s]!==t||i(e.function[s]))continue;let c=e.start_ns[s],l=c+e.duration_ns[s],u=n<c?c-n:n>l?n-l:0;if(u>r)continue;let d=u*1e6+e.duration_ns[s];d<o&&(o=d,a=s)}return a}function yn(e,t,n){let{head:r}=e;if(!e.offset.length)return null;let i=Math.floor((t-r.row_from)/r.rows_per_block),a=Math.floor((n-r.from_ns)/r.bin_ns);if(i<0||i>=r.rows||a<0||a>=r.columns_count)return null;let o=i*r.columns_count+a,s=[],c=0;for(let t=e.offset[o];t<e.offset[o+1];t++){let n=e.share[t]/65535;e.function[t]===65535?c=n:s.push({id:e.function[t],share:n})}return s.sort((e,t)=>t.share-e.share||e.id-t.id),{row_from:r.row_from+i*r.rows_per_block,row_until:r.row_from+(i+1)*r.rows_per_block,from:r.from_ns+a*r.bin_ns,until:r.from_ns+(a+1)*r.bin_ns,shares:s,waiting:c,calls:e.calls[o],longest_ns:e.longest_ns[o],longest_rank:e.longest_rank[o],longest_row:e.longest_row[o]}}var bn=e=>e.confidence===`certain`&&e.severity!==`hint`,xn=2e3,Sn=6;function Cn({app:e,layout:t,window:n}){let r=[],i=B(t,n)/2;for(let a of[!1,!0])for(let o of e.report?.checks?.findings??[])if(!(o.suppressed||bn(o)!==a))for(let a of o.parties){let s=e.positions[e.rankOfWorld(a.rank)]??-1;if(!(a.at_ns===null||s+1<=n.row_from||s>=n.row_until||s<0||a.at_ns<n.from||a.at_ns>n.until)&&(r.push({finding:o,role:a.role,x:R(t,n,a.at_ns),y:z(t,n,s)+i}),r.length>=xn))return r}return r}function wn(e,t){let{ink:n}=t;e.font=`bold 9px system-ui, sans-serif`,e.textAlign=`center`,e.textBaseline=`middle`;for(let{finding:r,x:i,y:a}of Cn(t)){let t=bn(r);e.beginPath(),e.moveTo(i,a-Sn-1),e.lineTo(i+Sn+1,a),e.lineTo(i,a+Sn+1),e.lineTo(i-Sn-1,a),e.closePath(),e.fillStyle=t?n.path:n.panel,e.fill(),e.strokeStyle=t?n.panel:n.path,e.lineWidth=1.5,e.stroke(),e.fillStyle=t?n.panel:n.path,e.fillText(`!`,i,a+.5)}}function Tn(e,t){let n=Cn(e).filter(e=>Math.abs(e.x-t.x)+Math.abs(e.y-t.y)<=8);return n[n.length-1]??null}var En=e=>Number.parseInt(e.slice(1),16),Dn=e=>({light:En(e.light),dark:En(e.dark)}),On=Object.fromEntries(Object.entries(rn.classes).map(([e,t])=>[e,Dn(t)])),kn=On.local,An=Dn(rn.compute),jn=Dn(rn.hatch);Dn(rn.absent);var Mn=e=>e>>16&255,Nn=e=>e>>8&255,Pn=e=>e&255;function Fn(e,t,n){let r=(e,t)=>Math.round(e+(t-e)*n);return r(Mn(e),Mn(t))<<16|r(Nn(e),Nn(t))<<8|r(Pn(e),Pn(t))}function U(e){return`#${e.toString(16).padStart(6,`0`)}`}function In(e){return(255<<24|Pn(e)<<16|Nn(e)<<8|Mn(e))>>>0}function W(e,t){return(On[e]??kn)[t]}var Ln=rn.steps;function Rn(e,t,n){let r=W(t,n),i=Ln[Math.imul(e,2654435761)>>>29<Ln.length?Math.imul(e,2654435761)>>>29:e%Ln.length]??0;return i<0?Fn(r,0,-i):Fn(r,16777215,i)}function zn(e){let t=e=>e/255<=.04045?e/255/12.92:((e/255+.055)/1.055)**2.4;return .2126*t(Mn(e))+.7152*t(Nn(e))+.0722*t(Pn(e))>.179?`#000000`:`#ffffff`}function Bn(e,t){let n=t===`light`?[15133941,11125728,6131652,2775708,730196]:[2042943,2576511,4162488,9092829,15923160],r=Math.max(0,Math.min(1,e))*(n.length-1),i=Math.min(n.length-2,Math.floor(r));return Fn(n[i],n[i+1],r-i)}var Vn={u8:Uint8Array,u16:Uint16Array,u32:Uint32Array,i32:Int32Array,f32:Float32Array,f64:Float64Array},Hn=826692429,Un=e=>e+7&-8,Wn=class extends Error{};function Gn(e){if(e.byteLength<8)throw new Wn(`the answer is shorter than a frame's beginning`);let t=new DataView(e);if(t.getUint32(0,!0)!==Hn)throw new Wn(`the answer is no frame`);let n=t.getUint32(4,!0);if(8+n>e.byteLength)throw new Wn(`the frame's head is cut off`);let r;try{r=JSON.parse(new TextDecoder().decode(new Uint8Array(e,8,n)))}catch{throw new Wn(`the frame's head is no JSON`)}let i=r.columns;if(!Array.isArray(i))throw new Wn(`the frame's head names no columns`);let a=new Map,o=Un(8+n);for(let t of i){let n=Vn[t.type];if(!n)throw new Wn(`the frame has a column of unknown type ${t.type}`);let r=o+t.length*n.BYTES_PER_ELEMENT;if(r>e.byteLength)throw new Wn(`the frame is cut off in column ${t.name}`);a.set(t.name,new n(e,o,t.length)),o=Un(r)}return{head:r,columns:a,buffer:e}}function G(e,t){let n=e.columns.get(t);if(!n)throw new Wn(`the frame has no column ${t}`);return n}var Kn=new Map(Object.entries(Vn).map(([e,t])=>[t,e]));function qn(e,t){let n=Object.entries(t).map(([e,t])=>({name:e,type:Kn.get(t.constructor),length:t.length})),r=new TextEncoder().encode(JSON.stringify({...e,columns:n})),i=Un(8+r.length),a=new ArrayBuffer(Object.values(t).reduce((e,t)=>Un(e+t.byteLength),i)),o=new Uint8Array(a),s=new DataView(a);s.setUint32(0,Hn,!0),s.setUint32(4,r.length,!0),o.set(r,8),o.fill(32,8+r.length,i);let c=i;for(let e of Object.values(t))o.set(new Uint8Array(e.buffer,e.byteOffset,e.byteLength),c),c=Un(c+e.byteLength);return a}var Jn=4e6;function Yn(e){let{windows:t,count:n}=e;if(!t||e.from_ns.length>=n)return e;let r=[...e.from_ns],i=Math.min(n,Jn),a=0;for(let e=r.length;e<i;e++){for(;a+1<t.first.length&&t.first[a+1]<=e;)a++;let i=t.first[a],o=Math.max(t.first[a+1]??n,i+1),s=t.from_ns[a],c=Math.max(t.from_ns[a+1]??t.until_ns,s);r.push(Math.max(r[e-1]??0,s+(c-s)*(e-i)/(o-i)))}let o=r.map((n,i)=>i<e.until_ns.length?e.until_ns[i]:Math.max(n,r[i+1]??t.until_ns));return{...e,from_ns:r,until_ns:o}}var Xn=e=>e.iterations?{...e,iterations:Yn(e.iterations)}:e,Zn=class{#e;#t;constructor(e,t=``){this.#e=e,this.#t=t}#n(e,t,n){return this.#e.ask(`${this.#t}${e}`,t,n)}async#r(e,t,n){return await(await this.#n(e,t,n)).json()}async#i(e,t,n){return Gn(await this.#e.frame(`${this.#t}${e}`,t,n))}get isExported(){return this.#e.isExported}get kept(){return this.#e.kept}async export(e,t){return(await this.#n(`export`,e,t)).arrayBuffer()}runs(e){return this.#e.ask(`runs`,{},e).then(e=>e.json())}differences(e,t){return this.#e.ask(`0/differences/1`,e,t).then(e=>e.json())}async run(e){return Xn(await this.#r(`run`,{},e))}progress(e){return this.#r(`progress`,{},e)}offers(e){return this.#e.ask(`offers`,{},e).then(e=>e.json())}async working(e,t){return(await this.#r(`working`,{of_ask:e},t)).done}report(e){return this.#r(`report`,{brief:!0},e)}async order(e,t){let n=await this.#i(`order`,{order:e},t);return{groups:n.head.groups??[],unit:n.head.unit??null,ranks:G(n,`rank`),value:n.columns.get(`value`)??null}}async cells(e,t){return Qn(await this.#e.frame(`${this.#t}cells`,e,t))}async calls(e,t){let n=await this.#i(`calls`,e,t),r=G(n,`start_ns`);return{head:n.head,length:r.length,rank:G(n,`rank`),thread:G(n,`thread`),row:G(n,`row`),start_ns:r,duration_ns:G(n,`duration_ns`),function:G(n,`function`),count:G(n,`count`),comm:G(n,`comm`),peer:G(n,`peer`),tag:G(n,`tag`),bytes_sent:G(n,`bytes_sent`),bytes_received:G(n,`bytes_received`),site:G(n,`site`),region:G(n,`region`),flags:G(n,`flags`)}}async messages(e,t){let n=await this.#i(`messages`,e,t),r=G(n,`sender`);return{head:n.head,length:r.length,sender:r,receiver:G(n,`receiver`),send_row:G(n,`send_row`),receive_row:G(n,`receive_row`),sent_ns:G(n,`sent_ns`),received_ns:G(n,`received_ns`),bytes:G(n,`bytes`),tag:G(n,`tag`)}}async collectives(e,t){let n=await this.#i(`collectives`,e,t);return{head:n.head,operation:G(n,`operation`),function:G(n,`function`),comm:G(n,`comm`),member_offset:G(n,`member_offset`),rank:G(n,`rank`),row:G(n,`row`),start_ns:G(n,`start_ns`),end_ns:G(n,`end_ns`)}}async waits(e,t){let n=await this.#i(`waits`,e,t),r=G(n,`rank`);return{head:n.head,length:r.length,rank:r,start_ns:G(n,`start_ns`),end_ns:G(n,`end_ns`),kind:G(n,`kind`),cause_rank:G(n,`cause_rank`)}}async regions(e,t){let n=await this.#i(`regions`,e,t),r=G(n,`rank`);return{length:r.length,rank:r,region:G(n,`region`),depth:G(n,`depth`),start_ns:G(n,`start_ns`),end_ns:G(n,`end_ns`)}}async begin(e,t){return(await this.#r(`begin`,{region:e},t)).ns}async path(e){let t=await this.#i(`path`,{},e),n=G(t,`rank`);return{length:n.length,rank:n,from_ns:G(t,`from_ns`),until_ns:G(t,`until_ns`)}}call(e,t){return this.#r(`call`,{rank:e.rank,row:e.row},t)}step(e,t,n,r={},i){return this.#r(`step`,{rank:e.rank,row:e.row,by:t,direction:n,...r},i)}find(e,t,n,r){return this.#r(`find`,{...n,text:e,direction:t},r)}async scatter(e,t){let n=await this.#i(`scatter`,e,t),{x_axis:r,y_axis:i,total:a,form:o,fit:s,basis:c}=n.head,l=o===`points`;return{basis:c,x:r,y:i,total:a,form:o,fit:s??null,points:l?{x:G(n,`x`),y:G(n,`y`),rank:G(n,`rank`),row:G(n,`row`),function:G(n,`function`)}:null,density:l?null:{width:n.head.width??e.width,height:n.head.height??e.height,count:G(n,`count`),function:G(n,`function`)}}}histogram(e,t){return this.#r(`histogram`,e,t)}groups(e,t){return this.#r(`groups`,e,t)}async matrix(e,t){let n=await this.#i(`matrix`,e,t);return{rows:n.head.rows,labels:n.head.labels,ranks_per_block:n.head.ranks_per_block,sender:G(n,`sender`),receiver:G(n,`receiver`),count:G(n,`count`),bytes:G(n,`bytes`),longest_ns:G(n,`longest_ns`),latency_ns:G(n,`latency_ns`),basis:n.head.basis}}};function Qn(e){let t=Gn(e);return{head:t.head,offset:G(t,`offset`),function:G(t,`function`),share:G(t,`share`),calls:G(t,`calls`),longest_ns:G(t,`longest_ns`),longest_rank:G(t,`longest_rank`),longest_row:G(t,`longest_row`),buffer:e}}var $n=class extends Error{constructor(e,t,n){super(t),this.status=e,this.next=n}};function er(e){return e instanceof DOMException&&e.name===`AbortError`}function K(e){return e instanceof $n?e:e instanceof TypeError?new $n(0,`mpiscope does not answer`,"See whether `mpiscope view` still runs in its terminal; start it again and reload this page."):new $n(0,e instanceof Error?e.message:String(e),`Reload this page.`)}var tr=class{#e=null;get isBusy(){return this.#e!==null}async run(e){this.#e?.abort();let t=new AbortController;this.#e=t;try{let n=await e(t.signal);return t.signal.aborted?void 0:n}catch(e){if(t.signal.aborted)return;throw e}finally{this.#e===t&&(this.#e=null)}}cancel(){this.#e?.abort(),this.#e=null}};function nr(e,t,n,r){if(n===null||r===null)return null;let i=Math.max(0,Math.floor(n)),a=Math.min(e?.length??t,Math.ceil(r));if(i<=0&&a>=(e?.length??t)&&(e===null||e.length===t))return null;let o=[];for(let t=i;t<a;t++)o.push(e?e[t]:t);return pt(o)}function rr(e,t){if(e===null||t===null)return e??t;let n=new Set(ir(t)),r=ir(e).filter(e=>n.has(e));return r.length?pt(r):`16777215`}function ir(e){let t=[];for(let n of e.split(`,`)){let[e,r]=n.split(`-`).map(Number);for(let n=e;n<=(r??e);n++)t.push(n)}return t}function ar(e,t){return e.area?{from:Math.round(e.area.from),until:Math.round(e.area.until)}:e.scope===`run`||e.from===null&&e.until===null?{from:null,until:null}:{from:Math.round(t.from),until:Math.round(t.until)}}function or(e,t,n,r){let i=e.area,a=i?nr(n,r,i.row_from,i.row_until):e.scope===`window`?nr(n,r,e.row_from,e.row_until):null;return{...e.filter,...ar(e,t),ranks:rr(a,e.filter.ranks)}}var sr=65534;function cr(e,t){return lr(e.skipped.length?{...e,hidden:[...e.hidden,...e.skipped]}:e,t)}function lr(e,t){if(!e.hidden.length)return e.filter.functions;let n=new Set(e.hidden),r=(e.filter.functions??t.map(e=>e.id)).filter(e=>!n.has(e));return r.length?r:[sr]}function ur(e){let t=e.getElementById(`mpiscope-worker`)?.textContent;if(!t)return null;let n=URL.createObjectURL(new Blob([Uint8Array.from(atob(t.trim()),e=>e.charCodeAt(0))],{type:`text/javascript`}));return new Worker(n,{name:`raster`})}var dr=class{#e=ur(document)??new Worker(new URL(new URL(`raster.worker.js`,import.meta.url).href,``+import.meta.url),{type:`module`,name:`raster`});#t=new Map;#n=0;constructor(){this.#e.onmessage=e=>{this.#t.get(e.data.id)?.(e.data),this.#t.delete(e.data.id)}}draw(e,t=[]){let n=this.#n++;return new Promise(r=>{this.#t.set(n,r),this.#e.postMessage({...e,id:n},t)})}close(){this.#e.terminate()}},fr=65535/4,pr=8;function mr(e,t,n){let{head:r}=e,i=n.map(e=>{let t=0;for(let r=e.parent;r!==null&&t<pr;r=n[r]?.parent??null)t++;return t}),a=new Map;t.forEach((e,t)=>e>=0&&a.set(e,t));let o=[],s=[],c=[],l=[],u=[],d=new Int32Array(pr),f=new Uint16Array(pr),p=new Int32Array(pr);for(let t=0;t<r.rows;t++){let n=a.get(r.row_from+t);if(n!==void 0){p.fill(-1);for(let a=0;a<r.columns_count;a++){d.fill(-1),f.fill(0);let m=t*r.columns_count+a;for(let t=e.offset[m];t<e.offset[m+1];t++){let n=e.function[t],r=i[n];r===void 0||r>=pr||e.share[t]<fr||e.share[t]<=f[r]||(d[r]=n,f[r]=e.share[t])}let h=r.from_ns+a*r.bin_ns;for(let e=0;e<pr;e++){let t=p[e];t>=0&&s[t]===d[e]?u[t]=h+r.bin_ns:d[e]>=0?(p[e]=o.length,o.push(n),s.push(d[e]),c.push(e),l.push(h),u.push(h+r.bin_ns)):p[e]=-1}}}}return{length:o.length,rank:Uint32Array.from(o),region:Uint32Array.from(s),depth:Uint8Array.from(c),start_ns:Float64Array.from(l),end_ns:Float64Array.from(u)}}var hr=65536;function gr(e,t,n,r,i){let a=new Uint32Array(hr),o=new Uint32Array(hr),s=t===null?null:new Set(t),c=new Map(e.classes.map((e,t)=>[e.id,t]));for(let t of e.functions)o[t.id]=(c.get(t.class)??255)*hr+t.id,(!s||s.has(t.id))&&(a[t.id]=In(n===`class`?W(t.class,r):Rn(t.id,t.class,r)));return{colours:a,places:o,compute:In(An[r]),hatch:In(jn[r]),hasWaits:i}}var _r=4e4,vr=2e3,yr=500,br=400,xr=60,Sr=.34,Cr=36;function wr(e){return e>=16?Math.min(Cr,Math.floor(e*Sr)):0}var Tr=class{#e;#t;#n;#r;#i;#a;#o;#s;#c;#l;#u;#d;#f;#p;#m;#h;#g;#_;#v;#y;#b;#x;#S;constructor(e,t){this.base=null,this.near=null,this.single=null,this.cells=null,this.calls=null,this.isSingle=!1,this.waits=null,this.messages=null,this.collectives=null,this.regions=null,this.path=null,this.error=null,this.isBusy=!1,this.done=null,this.#e=`t${Math.random().toString(36).slice(2,8)}`,this.#t=0,this.#i=new dr,this.#a=new tr,this.#o=new tr,this.#s=new tr,this.#c=null,this.#l=0,this.#u=null,this.#d=``,this.#f=!1,this.#p=null,this.#m=``,this.#h=null,this.#g=null,this.#_=null,this.#v=!1,this.#y=0,this.#b=``,this.#x=!1,this.#S=null,this.#n=e,this.#r=t}close(){this.#a.cancel(),this.#o.cancel(),this.#s.cancel(),this.#c!==null&&clearTimeout(this.#c),this.#i.close()}get#C(){let{order:e,filter:t}=this.#n.store.state;return JSON.stringify([e,t,this.#n.growth,this.#n.rows])}update(e,t){let n=this.#n;if(!n.run||n.run.state===`failed`||n.rows===0||n.run.state===`building`&&n.run.files)return;this.#g=e;let r=this.#h?.plotWidth!==t.plotWidth||this.#h?.plotHeight!==t.plotHeight;this.#h=t;let i=n.store.state,a=i.layers,o=JSON.stringify([i.hidden,i.filter.functions,i.colouring,n.theme,a.includes(`waits`),a.includes(`regions`),n.run.functions.length]),s=this.#C;o!==this.#m&&(this.#m=o,this.#p=gr(n.run,lr(i,n.run.functions),i.colouring,n.theme,a.includes(`waits`)),this.cells&&this.#F(),this.#d=``),(s!==this.#d||r)&&(this.#d=s,this.#f=!0),a.includes(`path`)&&!this.#x&&n.run.is_explained&&this.#P();let c=this.#u,l=this.#S===null||Or(e,this.#S),u=this.#_===null||this.calls===null||!n.client.kept||Or(e,this.#_);if(l&&u&&c&&c.data===s&&nn({...c.window,nsPerPx:c.nsPerPx,rowsPerPx:c.rowsPerPx},e,t)){this.isBusy||this.#M();return}let d=JSON.stringify([i.order,i.filter]);d!==this.#b&&(this.#b=d,this.near=null,this.#A()),this.#w()}#w(){if(this.#c!==null)return;let e=Math.max(0,this.#l+xr-performance.now());this.#c=setTimeout(()=>{this.#c=null,this.#T()},e)}async#T(){let e=this.#n,t=this.#h,n=this.#g;if(!t||!n||!e.run)return;this.#l=performance.now();let r=tn(n,e.whole),i=devicePixelRatio||1,a=(r.until-r.from)/(n.until-n.from),o=(r.row_until-r.row_from)/(n.row_until-n.row_from),s=(n.until-n.from)/t.plotWidth,c=(n.row_until-n.row_from)/t.plotHeight,l=this.#C;this.#u={window:r,nsPerPx:s,rowsPerPx:c,data:l},this.#S=null,this.isBusy=!0,this.#r();let u=`${this.#e}-${this.#t++}`;try{await this.#a.run(async l=>{let{order:d}=e.store.state;this.#O(u,l);let f={from:Math.floor(r.from),until:Math.ceil(r.until),columns:Math.min(4096,Math.max(16,Math.round(t.plotWidth*a*i))),row_from:r.row_from,row_until:r.row_until,rows:Er(t.plotHeight,c,o),order:d,...this.#D,ask:u},p=e=>{this.error=null,this.done=null,this.cells=e},m=await e.client.cells(this.near?f:{...f,quick:!0},l);if(l.aborted)return;if(p(m),m.head.has_finer){if(await this.#I(m,s,c),l.aborted||(m=await e.client.cells(f,l),l.aborted))return;p(m)}let{kept:h}=e.client,g=h?Dr(r,this.#g??n,h,e.whole):r,_=m.head.calls_total<=_r||h!==null,v=this.#I(m,s,c),y=g&&_?this.#j(g,l):h?this.#A():this.#k(r,t,m,l);await Promise.all([v,y]),l.aborted||this.#M()})}catch(e){er(e)||(this.error=K(e))}this.isBusy=this.#a.isBusy,this.isBusy||(this.done=null),this.#r()}get#E(){return this.#n.run?.state===`ready`&&!this.#n.client.isExported}get#D(){let{filter:e}=this.#n.store.state;return this.#E?e:{functions:e.functions}}async#O(e,t){let{filter:n}=this.#n.store.state;if(this.done=null,!(!Ct(n)||wt(n)||this.isFaded))for(;;){if(await new Promise(e=>setTimeout(e,br)),t.aborted||!this.isBusy)return;let n=await this.#n.client.working(e,t).catch(()=>null);if(t.aborted||!this.isBusy)return;n!==null&&(this.done=n,this.#r())}}async#k(e,t,n,r){this.#A();let i=this.#n,{head:a}=n;if(!(i.store.state.layers.includes(`regions`)&&i.run.regions.length>0&&i.run.state===`ready`)||a.rows_per_block!==1||wr(B(t,this.#g))===0)return;let o=await i.client.cells({from:Math.floor(e.from),until:Math.ceil(e.until),columns:Math.min(4096,Math.max(16,2*a.columns_count)),row_from:a.row_from,row_until:a.row_from+a.rows,rows:Math.min(2048,a.rows),order:i.store.state.order,layer:`regions`},r).catch(kr);!r.aborted&&o&&(this.regions=mr(o,i.positions,i.run.regions),this.#r())}#A(){this.single=null,this.calls=null,this.isSingle=!1,this.waits=null,this.messages=null,this.#S=null,this.collectives=null,this.regions=null}async#j(e,t){let n=this.#n,r=n.run;if(r.state!==`ready`)return;let{order:i,filter:a}=n.store.state,o={from:Math.floor(e.from),until:Math.ceil(e.until),row_from:e.row_from,row_until:e.row_until,order:i},s=_r,[c,l,u,d,f]=await Promise.all([n.client.calls({...a,...o,limit:s},t),n.client.waits({...o,limit:s},t).catch(kr),n.client.messages({...o,limit:vr},t).catch(kr),n.client.collectives({...o,limit:yr},t).catch(kr),r.regions.length?n.client.regions({...o,limit:_r},t).catch(kr):null]);if(t.aborted)return;let p=this.#g,m={...o,from:Math.floor(p.from),until:Math.ceil(p.until),row_from:Math.floor(p.row_from),row_until:Math.ceil(p.row_until)},h=u?.head.is_cut?await n.client.messages({...m,limit:vr},t).catch(kr):null;t.aborted||(this.calls=c,this.waits=l,this.messages=h??u,this.#S=h&&!h.head.is_cut?m:null,this.collectives=d,this.regions=f,this.isSingle=!c.head.is_cut,this.#_=e,await this.#L())}#M(){this.#f&&(this.#f=!1,this.#N())}async#N(){let e=this.#n,t=this.#h,n=e.whole;try{await this.#o.run(async r=>{let{order:i,filter:a}=e.store.state,o=await e.client.cells({from:n.from,until:n.until,columns:Math.min(2048,Math.max(16,t.plotWidth)),row_from:0,row_until:n.row_until,rows:64,order:i,functions:a.functions,quick:!0},r),s=Math.max(1,Math.min(6,Math.floor(192/Math.max(1,o.head.rows)))),{head:c}=o,l=await this.#i.draw({kind:`cells`,buffer:o.buffer,rowPx:s,style:{...this.#p,hasWaits:!1}},[o.buffer]);!r.aborted&&l.bitmap&&(this.base={bitmap:l.bitmap,from:c.from_ns,until:c.from_ns+c.columns_count*c.bin_ns,row_from:c.row_from,row_until:c.row_from+c.rows*c.rows_per_block,nsPerPx:c.bin_ns,rowsPerPx:c.rows_per_block/s},this.#r())})}catch(e){er(e)||(this.error=K(e),this.#r())}}async#P(){this.#x=!0;try{let e=await this.#s.run(e=>this.#n.client.path(e));e&&(this.path=e),e&&!e.length&&this.#n.say(`The critical path of this run is not known.`)}catch(e){this.#n.fail(e)}this.#r()}async#F(){let e=this.#u;this.cells&&e&&!this.#v&&await this.#I(this.cells,e.nsPerPx,e.rowsPerPx),this.calls&&await this.#L()}async#I(e,t,n){let{head:r}=e;if(!r.rows||!r.columns_count)return;let i=Math.max(1,Math.min(64,Math.round(r.rows_per_block/n)));this.#v=!0;let a=await this.#i.draw({kind:`cells`,buffer:e.buffer,rowPx:i,style:this.#p},[e.buffer]);if(this.#v=!1,a.error)throw Error(a.error);if(this.cells===e&&a.buffer)this.cells=Qn(a.buffer);else return;let o=this.near;this.near={bitmap:a.bitmap,from:r.from_ns,until:r.from_ns+r.columns_count*r.bin_ns,row_from:r.row_from,row_until:r.row_from+r.rows*r.rows_per_block,nsPerPx:t,rowsPerPx:n},o?.bitmap.close(),this.#r()}async#L(){let e=this.#n,{calls:t,waits:n}=this,r=this.#_,i=this.#g,a=this.#h;if(!t||!r||!i||!a||!e.run)return;let o=++this.#y,s=Math.max(1,Math.min(64,Math.round(B(a,i)))),c=(i.until-i.from)/a.plotWidth,l=Math.max(1,Math.min(8192,Math.round((r.until-r.from)/c*(devicePixelRatio||1)))),u=e.store.state.layers.includes(`regions`)&&e.run.regions.length>0,d=await this.#i.draw({kind:`calls`,calls:{length:t.length,rank:t.rank,thread:t.thread,start_ns:t.start_ns,duration_ns:t.duration_ns,function:t.function,flags:t.flags},waits:n?{length:n.length,rank:n.rank,start_ns:n.start_ns,end_ns:n.end_ns}:null,view:{...r,width:l,rowPx:s,positions:e.positions,threads:Uint16Array.from(e.run.ranks.threads),free:u?wr(s):0,isFaded:!this.isSingle||this.isFaded},style:this.#p});d.bitmap&&o===this.#y&&this.calls===t&&(this.single={...r,bitmap:d.bitmap,nsPerPx:c,rowsPerPx:1/s},this.#r())}get matching(){let{filter:e}=this.#n.store.state;return!Ct(e)||wt(e)||!this.cells||this.isFaded?null:this.isSingle&&this.calls?this.calls.head.total:this.cells.head.calls_total}get isFaded(){let{filter:e}=this.#n.store.state;return Ct(e)&&!wt(e)&&!this.#E}};function Er(e,t,n){let r=(t>1?e/2:e)*n;return Math.min(2048,Math.max(1,Math.round(r)))}function Dr(e,t,n,r){return Math.max(t.from,r.from)>=n.from&&Math.min(t.until,r.until)<=n.until?{...e,from:Math.max(e.from,n.from),until:Math.min(e.until,n.until)}:null}var Or=(e,t)=>e.from>=t.from&&e.until<=t.until&&e.row_from>=t.row_from&&e.row_until<=t.row_until;function kr(e){if(er(e))throw e;return null}var Ar=e=>e>=12?2:+(e>=5),jr=34,Mr=1200;function Nr(e,t){let{app:n,layout:r,window:i,pictures:a}=t,o=a.calls,s=B(r,i);if(!o||!a.single||s<12||!a.isSingle&&!a.isFaded)return;let c=n.store.state,l=new Set(c.hidden),u=c.layers.includes(`regions`)&&n.run?.regions.length?wr(s):0,d=(i.until-i.from)/r.plotWidth*jr;e.font=H,e.textBaseline=`middle`,e.textAlign=`left`;let f=0;for(let t=0;t<o.length&&f<Mr;t++){let a=o.duration_ns[t];if(a<d||l.has(o.function[t]))continue;let p=o.rank[t];if((n.run?.ranks.threads[p]??1)>1&&s/n.run.ranks.threads[p]<12)continue;let m=n.positions[p]??-1;if(m+1<=i.row_from||m>=i.row_until||m<0)continue;let h=Math.max(r.left,R(r,i,o.start_ns[t])),g=Math.min(r.left+r.plotWidth,R(r,i,o.start_ns[t]+a));if(g-h<jr)continue;let _=o.function[t],v=n.names?.classOf(_)??`local`,y=c.colouring===`class`?W(v,n.theme):Rn(_,v,n.theme),ee=n.names?.short(_)??``,te=`${ee}  ${O(a)}`,ne=n.run?.ranks.threads[p]??1,re=(s-Ar(s)-u)/ne,ie=z(r,i,m)+u+re*(o.thread[t]+.5),ae=g-h-8,oe=e.measureText(te).width<=ae?te:Fr(e,ee,ae);if(!oe)continue;let se=e.measureText(oe).width;e.fillStyle=Pr(y),e.fillRect(h+2,ie-6,se+4,12),e.fillStyle=zn(y),e.fillText(oe,h+4,ie+.5),f++}}var Pr=e=>`#${e.toString(16).padStart(6,`0`)}`;function Fr(e,t,n){if(e.measureText(t).width<=n)return t;for(let r=t.length-1;r>=3;r--){let i=`${t.slice(0,r)}…`;if(e.measureText(i).width<=n)return i}return``}function Ir(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.regions,c=wr(B(r,i));if(!s||!c)return;let l=0;for(let e of s.depth)l=Math.max(l,e);let u=Math.max(2,Math.min(13,Math.floor(c/(l+1))));e.font=H,e.textBaseline=`middle`,e.textAlign=`left`;for(let t=0;t<s.length;t++){let a=n.positions[s.rank[t]]??-1;if(a<0||a+1<=i.row_from||a>=i.row_until)continue;let c=Math.max(r.left-2,R(r,i,s.start_ns[t])),l=Math.min(r.left+r.plotWidth+2,R(r,i,s.end_ns[t]));if(l<=c)continue;let d=z(r,i,a)+s.depth[t]*u;e.fillStyle=o.phases[(s.region[t]+s.depth[t])%2],e.fillRect(c,d,Math.max(1,l-c),u-1),e.fillStyle=o.muted,e.fillRect(c,d,1,u-1),u>=10&&l-c>30&&(e.fillStyle=o.text,e.fillText(Fr(e,n.names?.region(s.region[t])??``,l-c-6),Math.max(c,r.left)+3,d+u/2))}}function Lr(e,t,n,r,i,a){if(e.beginPath(),e.moveTo(t,n),e.lineTo(r,i),e.stroke(),!a)return;let o=Math.atan2(i-n,r-t);e.beginPath(),e.moveTo(r,i),e.lineTo(r-6*Math.cos(o-.4),i-6*Math.sin(o-.4)),e.lineTo(r-6*Math.cos(o+.4),i-6*Math.sin(o+.4)),e.fill()}var Rr=2,zr=.03;function Br(e,t){let[n,r,i]=[1/0,-1/0,0];for(let{x0:a,x1:o,y0:s,y1:c}of e)n=Math.min(n,Math.max(a,t.left)),r=Math.max(r,Math.min(o,t.left+t.plotWidth)),i+=Math.min(Math.abs(c-s),t.plotHeight)*Rr;return i/(Math.max(r-n,Rr)*t.plotHeight)}function Vr(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.messages,c=B(r,i)/2;if(s&&!s.head.is_cut&&n.store.state.layers.includes(`messages`)){let t=[];for(let e=0;e<s.length;e++){let a=n.positions[s.sender[e]]??-1,o=n.positions[s.receiver[e]]??-1;if(a<0||o<0)continue;let l=s.sent_ns[e],u=s.received_ns[e];u<i.from||l>i.until||Math.max(a,o)+1<i.row_from||Math.min(a,o)>i.row_until||t.push({x0:R(r,i,l),y0:z(r,i,a)+c,x1:R(r,i,u),y1:z(r,i,o)+c})}let a=Br(t,r);e.save(),e.strokeStyle=o.arrow,e.fillStyle=o.arrow,e.lineWidth=1,e.globalAlpha=Math.min(1,Math.max(zr,1/a));for(let{x0:n,y0:r,x1:i,y1:o}of t)Lr(e,n,r,i,o,a<2&&t.length<600||i-n>12);e.restore()}let l=n.detail;if(l){e.strokeStyle=o.accent,e.fillStyle=o.accent,e.lineWidth=2;for(let t of l.messages){let a=n.positions[l.rank]??-1,o=n.positions[t.rank]??-1;if(a<0||o<0||t.sent_ns===null||t.received_ns===null)continue;let[s,u]=t.direction.startsWith(`s`)?[a,o]:[o,a];Lr(e,R(r,i,t.sent_ns),z(r,i,s)+c,R(r,i,t.received_ns),z(r,i,u)+c,!0)}}}var Hr=null;function Ur(e,t){if(Hr?.found===e&&Hr.positions===t)return Hr.operations;let n=n=>t[e.rank[n]]??-1,r=Array.from(e.operation,(t,r)=>{let i=Int32Array.from({length:e.member_offset[r+1]-e.member_offset[r]},(t,n)=>e.member_offset[r]+n).filter(e=>n(e)>=0).sort((e,t)=>n(e)-n(t));return{members:i,rows:i.map(n)}});return Hr={found:e,positions:t,operations:r},r}function Wr(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.collectives;if(!s||s.head.is_cut)return;let c=B(r,i)/2;e.strokeStyle=o.collective,e.lineWidth=1;let l=Math.max(1,Math.floor(1/B(r,i)));for(let{rows:t,members:a}of Ur(s,n.positions)){let n=Math.max(0,fn(t,i.row_from-1)-1),o=Math.min(t.length-1,fn(t,i.row_until));if(!(n>o||a.length<2))for(let u of[s.start_ns,s.end_ns]){e.setLineDash(u===s.start_ns?[]:[3,2]),e.beginPath();for(let s=n;s<=o;s+=s+l>o&&s<o?o-s:l){let o=R(r,i,u[a[s]]),l=z(r,i,t[s])+c;s===n?e.moveTo(o,l):e.lineTo(o,l)}e.stroke()}}e.setLineDash([])}function Gr(e,{app:t,layout:n,window:r,pictures:i,ink:a}){let o=i.path;if(!o?.length)return;let s=B(n,r)/2;e.strokeStyle=a.path,e.lineWidth=Math.min(3,Math.max(1.5,s/3)),e.lineJoin=`round`,e.beginPath();let c=!1,l=-1/0;for(let i=Math.max(0,fn(o.until_ns,r.from)-1);i<o.length&&o.from_ns[i]<=r.until;i++){let a=t.positions[o.rank[i]]??-1;if(a<0){c=!1;continue}let u=z(n,r,a)+s,d=Math.max(R(n,r,o.from_ns[i]),n.left-10),f=Math.min(R(n,r,o.until_ns[i]),n.left+n.plotWidth+10);c&&f-l<.5||(c?e.lineTo(d,u):e.moveTo(d,u),e.lineTo(f,u),l=f,c=!0)}e.stroke()}function Kr(e,{app:t,layout:n,window:r,ink:i}){let a=t.detail,o=t.store.state.selection;if(!a||!o||a.rank!==o.rank||a.row!==o.row)return;let s=t.positions[a.rank]??-1;if(s<0)return;let c=Math.max(n.left-4,R(n,r,a.start_ns)),l=Math.min(n.left+n.plotWidth+4,R(n,r,a.start_ns+a.duration_ns)),u=z(n,r,s),d=Math.max(4,B(n,r)-Ar(B(n,r)));e.strokeStyle=i.panel,e.lineWidth=4,e.strokeRect(c-1,u-1,Math.max(3,l-c+2),d+2),e.strokeStyle=i.selection,e.lineWidth=2,e.strokeRect(c-1,u-1,Math.max(3,l-c+2),d+2)}function qr(e,{app:t,layout:n,window:r,drag:i,ink:a}){let o=i??t.store.state.area;if(!o)return;let s=R(n,r,o.from),c=R(n,r,o.until),l=o.row_from===null?n.top:z(n,r,o.row_from),u=o.row_until===null?n.top+n.plotHeight:z(n,r,o.row_until);e.fillStyle=a.shade;let{left:d,top:f,plotWidth:p,plotHeight:m}=n,h=e=>Math.max(d,Math.min(d+p,e)),g=e=>Math.max(f,Math.min(f+m,e));e.fillRect(d,f,p,g(l)-f),e.fillRect(d,g(u),p,f+m-g(u)),e.fillRect(d,g(l),h(s)-d,g(u)-g(l)),e.fillRect(h(c),g(l),d+p-h(c),g(u)-g(l)),e.strokeStyle=a.accent,e.lineWidth=1.5,e.strokeRect(s,l,c-s,u-l);let _=O(o.until-o.from);e.font=H,e.textAlign=`center`,e.textBaseline=`top`;let v=e.measureText(_).width+8,y=Math.max(d+v/2,Math.min(d+p-v/2,(h(s)+h(c))/2));e.fillStyle=a.panel,e.fillRect(y-v/2,g(l)+2,v,14),e.fillStyle=a.text,e.fillText(_,y,g(l)+4)}function Jr(e,{hover:t,layout:n,ink:r}){!t||t.y<n.top||(e.fillStyle=r.shade,e.fillRect(Math.round(t.x),n.top,1,n.plotHeight))}var Yr=.22;function Xr(e,t){let{layout:n,ink:r}=t;e.fillStyle=r.panel,e.fillRect(0,0,n.width,n.height),e.save(),e.beginPath(),e.rect(n.left,n.top,n.plotWidth,n.plotHeight),e.clip(),Zr(e,t),$r(e,t),ei(e,t),t.app.store.state.layers.includes(`regions`)&&Ir(e,t),t.app.store.state.layers.includes(`collectives`)&&Wr(e,t),t.app.store.state.layers.includes(`path`)&&Gr(e,t),Vr(e,t),Nr(e,t),wn(e,t),Kr(e,t),qr(e,t),Jr(e,t),e.restore(),sn(e,t),un(e,t),dn(e,t),pn(e,t),hn(e,t)}function Zr(e,t){let{layout:n,pictures:r,window:i,ink:a}=t;e.fillStyle=a.background,e.fillRect(n.left,n.top,n.plotWidth,n.plotHeight),e.imageSmoothingEnabled=!1;let o=r.isFaded;e.globalAlpha=o?Yr:1;let s=r.near,c=s!==null&&s.from<=i.from&&s.until>=i.until&&s.row_from<=i.row_from&&s.row_until>=i.row_until;r.base&&!c&&Qr(e,t,r.base),s&&Qr(e,t,s),e.globalAlpha=1,r.single&&(r.isSingle||o)&&Qr(e,t,r.single)}function Qr(e,t,n){let{layout:r,window:i}=t,a=Math.max(n.from,i.from-(i.until-i.from)*.01),o=Math.min(n.until,i.until+(i.until-i.from)*.01),s=Math.max(n.row_from,Math.floor(i.row_from)),c=Math.min(n.row_until,Math.ceil(i.row_until));if(a>=o||s>=c)return;let l=n.bitmap.width*(a-n.from)/(n.until-n.from),u=n.bitmap.width*(o-a)/(n.until-n.from),d=n.bitmap.height*(s-n.row_from)/(n.row_until-n.row_from),f=n.bitmap.height*(c-s)/(n.row_until-n.row_from),p=R(r,i,a),m=z(r,i,s);e.drawImage(n.bitmap,l,d,u,f,p,m,R(r,i,o)-p,z(r,i,c)-m)}function $r(e,t){let{app:n,layout:r,window:i,ink:a}=t;if(!n.run||!n.comparison.isTwo)return;let{from:o,until:s}=cn(n.run,t.whole),[c,l]=[R(r,i,o),R(r,i,s)],u=r.left+r.plotWidth;if(e.fillStyle=a.background,c>r.left&&e.fillRect(r.left,r.top,Math.min(c,u)-r.left,r.plotHeight),l>=u)return;let d=Math.max(r.left,l);e.fillRect(d,r.top,u-d,r.plotHeight),l<r.left||(e.fillStyle=a.text,e.fillRect(l,r.top,1.5,r.plotHeight),e.font=an,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(`this run ends at ${O(s)}`,l+7,r.top+6,Math.max(10,u-l-12)))}function ei(e,t){let{app:n,layout:r,window:i,ink:a}=t,o=n.run?.ranks;if(!o)return;let s=B(r,i);if(s<.5)return;let c=ni(e,a.absent);for(let t=Math.max(0,Math.floor(i.row_from));t<Math.min(n.rows,Math.ceil(i.row_until));t++){let l=n.rankAt(t),u=z(r,i,t),d=s>=5?s-1:s,f=(o.first_ns??o.rows_from_ns)[l];if(f===void 0||!((o.calls_lost[l]??0)>0))continue;let p=R(r,i,f);p>r.left&&(e.fillStyle=c,e.fillRect(r.left,u,Math.min(p,r.left+r.plotWidth)-r.left,d)),p>=r.left&&p<=r.left+r.plotWidth&&(e.fillStyle=a.path,e.fillRect(p-1,u,2,d),s>=13&&p-r.left>120&&(e.font=`10px system-ui, sans-serif`,e.textBaseline=`middle`,e.textAlign=`right`,e.fillStyle=a.text,e.fillText(`overwritten ▸`,p-5,u+d/2)))}}var ti=new Map;function ni(e,t){let n=ti.get(t);if(n)return n;let r=t;if(typeof OffscreenCanvas<`u`){let n=new OffscreenCanvas(8,8),i=n.getContext(`2d`);i.strokeStyle=t,i.lineWidth=1;for(let e of[-8,0,8])i.beginPath(),i.moveTo(e,8),i.lineTo(e+8,0),i.stroke();r=e.createPattern(n,`repeat`)??t}return ti.set(t,r),r}var ri=7;function ii(e,t){let{app:n}=e,r=n.names?.classOf(t)??`local`;return x`<svg class="swatch" viewBox="0 0 9 9" aria-hidden="true"><rect width="9" height="9" fill=${U(n.store.state.colouring===`class`?W(r,n.theme):Rn(t,r,n.theme))}></rect></svg>`}function ai(e,t,n){let{app:r,window:i,layout:a,pictures:o}=e,s=Math.floor($t(a,i,t.y)),c=Qt(a,i,t.x),l=r.rankAt(s),u=N(c,(i.until-i.from)/a.plotWidth),d=x`<div class="muted number">rank ${r.worldRank(l)}, ${u}</div>`,f=Tn(e,t);if(f)return x`${d}<b>${f.finding.title}</b><div class="muted">${f.role}</div>`;let{calls:p}=o;if(p&&(o.isSingle||o.isFaded)){let i=n(t.x,t.y);if(i<0)return x`${d}${oi(e,l,c)??`computing`}`;let a=p.bytes_sent[i],o=p.bytes_received[i],s=p.peer[i],u=r.names?.comm(p.comm[i]);return x`${d}
      <b>${ii(e,p.function[i])}${r.names?.function(p.function[i])}</b> ${O(p.duration_ns[i])}
      ${p.count[i]>1?x`<div>${A(p.count[i])} polls</div>`:S}
      <div class="muted">
        ${s>=0?x`peer ${r.worldRank(s)} `:S}${a?x`${k(a)} sent `:S}${o?x`${k(o)} received `:S}${u}
      </div>
      <div class="muted">${r.names?.site(p.site[i])}</div>`}let m=o.cells?yn(o.cells,s,c):null;if(!m)return d;let h=m.row_until-m.row_from>1?x`<div class="muted">${r.order?`rows`:`ranks`} ${m.row_from} to ${Math.min(r.rows,m.row_until)-1}</div>`:S,g=m.shares.reduce((e,t)=>e+t.share,0);return x`${d}${h}
    <table>
      ${m.shares.slice(0,ri).map(t=>x`<tr><td>${ii(e,t.id)}${r.names?.function(t.id)}</td><td class="number">${M(t.share)}</td></tr>`)}
      ${m.shares.length>ri?x`<tr><td class="muted">and ${m.shares.length-ri} more</td></tr>`:S}
      <tr><td>computing</td><td class="number">${M(Math.max(0,1-g))}</td></tr>
      ${m.waiting>0?x`<tr><td>waiting (inside of calls)</td><td class="number">${M(m.waiting)}</td></tr>`:S}
    </table>
    <div class="muted number">${A(m.calls)} calls begin here${m.longest_rank>=0?x`, the longest ${O(m.longest_ns)}`:S}</div>`}function oi(e,t,n){let r=e.app.run?.ranks;if(!r)return null;let i=(r.first_ns??r.rows_from_ns)[t],a=r.calls_lost[t]??0;return i!==void 0&&a>0&&n<i?`overwritten: ${A(a)} calls of this rank are lost`:null}function q(e,t,n,r){var i=arguments.length,a=i<3?t:r===null?r=Object.getOwnPropertyDescriptor(t,n):r,o;if(typeof Reflect==`object`&&typeof Reflect.decorate==`function`)a=Reflect.decorate(e,t,n,r);else for(var s=e.length-1;s>=0;s--)(o=e[s])&&(a=(i<3?o(a):i>3?o(t,n,a):o(t,n))||a);return i>3&&a&&Object.defineProperty(t,n,a),a}var si=8,J=class extends C{constructor(...e){super(...e),this.columns=[],this.count=0,this.label=`Table`,this.sort=null,this.isSelected=()=>!1,this.empty=`Nothing here.`,this.canActivate=!0,this.first=0,this.shown=40,this.active=0,this.#e=null}static{this.styles=[D,o`
      :host {
        height: 100%;
        min-height: 0;
        overflow: hidden;
      }
      .scroll {
        height: 100%;
        overflow: auto;
        position: relative;
      }
      .scroll:focus-visible {
        outline-offset: -2px;
      }
      .row {
        display: grid;
        align-items: center;
        height: 24px;
        min-width: 100%;
        width: max-content;
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      .head {
        position: sticky;
        top: 0;
        z-index: 1;
        background: var(--raised);
        height: 26px;
      }
      .cell {
        padding: 0 6px;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .cell.number {
        text-align: right;
      }
      .cell svg {
        vertical-align: -1px;
      }
      .head button {
        min-height: 24px;
        padding: 0 2px;
        font-weight: 600;
        white-space: nowrap;
        font-size: 12px;
      }
      .body .row {
        position: absolute;
        left: 0;
        cursor: default;
      }
      .body {
        position: relative;
      }
      .body .row:hover {
        background: var(--raised);
      }
      .body .row[aria-selected="true"] {
        background: var(--accent-soft);
      }
      .scroll:focus-visible .row.active {
        box-shadow: inset 0 0 0 2px var(--accent);
      }
      .empty {
        padding: 14px;
        color: var(--muted);
      }
    `]}#e;firstUpdated(){let e=this.#t();this.#e=new ResizeObserver(()=>this.#n()),this.#e.observe(e)}disconnectedCallback(){super.disconnectedCallback(),this.#e?.disconnect()}willUpdate(e){e.has(`count`)&&this.active>=this.count&&(this.active=Math.max(0,this.count-1))}#t(){return this.renderRoot.querySelector(`.scroll`)}#n(){let e=this.#t();this.first=Math.max(0,Math.floor(e.scrollTop/24)-si),this.shown=Math.ceil(e.clientHeight/24)+16}reveal(e){let t=this.#t();if(!t||e<0)return;let n=e*24;n<t.scrollTop?t.scrollTop=n:n+24+26>t.scrollTop+t.clientHeight&&(t.scrollTop=n+24+26-t.clientHeight),this.active=e}#r(e){this.active=e,this.dispatchEvent(new CustomEvent(`activate`,{detail:e}))}#i(e){if(e.ctrlKey||e.altKey||e.metaKey||e.target!==this.#t())return;let t=Math.max(1,Math.floor(this.#t().clientHeight/24)-1),n={ArrowDown:this.active+1,ArrowUp:this.active-1,PageDown:this.active+t,PageUp:this.active-t,Home:0,End:this.count-1}[e.key];if(n!==void 0)this.reveal(Math.max(0,Math.min(this.count-1,n)));else if((e.key===`Enter`||e.key===` `)&&this.canActivate&&this.count)this.#r(this.active);else if(e.key===`ArrowLeft`||e.key===`ArrowRight`)this.#t().scrollLeft+=e.key===`ArrowLeft`?-60:60;else return;e.preventDefault()}updated(){let e=this.columns.map(e=>e.width??(e.isNumber?`minmax(70px, 1fr)`:`minmax(110px, 2fr)`)).join(` `);for(let t of this.renderRoot.querySelectorAll(`.row`))t.style.gridTemplateColumns=e,t.dataset.index&&(t.style.top=`${Number(t.dataset.index)*24}px`);let t=this.renderRoot.querySelector(`.body`);t&&(t.style.height=`${this.count*24}px`)}render(){let e=Math.min(this.count,this.first+this.shown),t=[];for(let n=this.first;n<e;n++)t.push(this.#o(n));return x`<div
      class="scroll"
      role="grid"
      tabindex="0"
      aria-label=${this.label}
      aria-rowcount=${this.count+1}
      aria-colcount=${this.columns.length}
      aria-activedescendant=${this.count?`row-${this.active}`:S}
      @scroll=${()=>this.#n()}
      @keydown=${e=>this.#i(e)}
    >
      <div class="row head" role="row" aria-rowindex="1">${this.columns.map(e=>this.#a(e))}</div>
      <div class="body" role="rowgroup">${t.length?t:S}</div>
      ${this.count?S:x`<div class="empty" role="row"><span role="gridcell">${this.empty}</span></div>`}
    </div>`}#a(e){let t=this.sort?.id===e.id,n=t?this.sort.ascending?`ascending`:`descending`:S,r=x`${e.title}${t?this.sort.ascending?` ▴`:` ▾`:``}`;return x`<div class="cell ${e.isNumber?`number`:``}" role="columnheader" aria-sort=${n} title=${e.help??S}>
      ${e.isSortable?x`<button @click=${()=>this.dispatchEvent(new CustomEvent(`sort`,{detail:e.id}))}>${r}</button>`:x`<b>${r}</b>`}
    </div>`}#o(e){return x`<div
      class="row ${e===this.active?`active`:``}"
      role="row"
      id="row-${e}"
      data-index=${e}
      aria-rowindex=${e+2}
      aria-selected=${this.isSelected(e)?`true`:`false`}
      @click=${()=>this.canActivate&&this.#r(e)}
    >
      ${this.columns.map(t=>x`<div class="cell ${t.isNumber?`number`:``}" role="gridcell">${t.cell(e)}</div>`)}
    </div>`}};q([T({attribute:!1})],J.prototype,`columns`,void 0),q([T({type:Number})],J.prototype,`count`,void 0),q([T()],J.prototype,`label`,void 0),q([T({attribute:!1})],J.prototype,`sort`,void 0),q([T({attribute:!1})],J.prototype,`isSelected`,void 0),q([T()],J.prototype,`empty`,void 0),q([T({type:Boolean})],J.prototype,`canActivate`,void 0),q([E()],J.prototype,`first`,void 0),q([E()],J.prototype,`shown`,void 0),q([E()],J.prototype,`active`,void 0),J=q([w(`mp-vtable`)],J);function ci(e,t,n){let{head:r}=e,i=[];if(!e.offset.length)return i;let a=Math.max(0,Math.floor((t-r.from_ns)/r.bin_ns)),o=Math.min(r.columns_count,Math.ceil((n-r.from_ns)/r.bin_ns));for(let t=0;t<r.rows;t++){let n=new Map,s={row:r.row_from+t*r.rows_per_block,inside:0,waiting:0,calls:0,largest:null,longest_ns:0,longest:null};for(let i=a;i<o;i++){let c=t*r.columns_count+i;s.calls+=e.calls[c],e.longest_ns[c]>s.longest_ns&&(s.longest_ns=e.longest_ns[c],s.longest={rank:e.longest_rank[c],row:e.longest_row[c]});for(let t=e.offset[c];t<e.offset[c+1];t++){let r=e.share[t]/65535/(o-a);e.function[t]===65535?s.waiting+=r:(s.inside+=r,n.set(e.function[t],(n.get(e.function[t])??0)+r))}}for(let[e,t]of n)(!s.largest||t>s.largest.share)&&(s.largest={id:e,share:t});i.push(s)}return i}var li=class extends C{static{this.styles=[D]}constructor(){super(),this.round=0,new F(this)}render(){let{app:e,pictures:t}=this,{calls:n}=t;if(n&&t.isSingle)return this.#e();let{from:r,until:i}=e.window,a=t.cells?ci(t.cells,r,i):[],o=t.cells?.head.rows_per_block??1;return x`<mp-vtable
      label="Timeline as a table: each row over the time in sight"
      .columns=${[{id:`rank`,title:o>1?`Rows`:`Rank`,isNumber:!0,cell:t=>o>1?`${a[t].row}–${Math.min(e.rows,a[t].row+o)-1}`:String(e.worldRank(e.rankAt(a[t].row)))},{id:`computing`,title:`Computing`,isNumber:!0,cell:e=>M(Math.max(0,1-a[e].inside))},{id:`inside`,title:`In MPI`,isNumber:!0,cell:e=>M(a[e].inside)},{id:`waiting`,title:`Waiting`,isNumber:!0,cell:e=>M(a[e].waiting)},{id:`calls`,title:`Calls`,isNumber:!0,cell:e=>A(a[e].calls)},{id:`most`,title:`Most time in`,cell:t=>a[t].largest?`${e.names?.function(a[t].largest.id)} ${M(a[t].largest.share)}`:`–`},{id:`longest`,title:`Longest call`,isNumber:!0,cell:e=>a[e].longest?O(a[e].longest_ns):`–`}]}
      .count=${a.length}
      @activate=${t=>{let n=a[t.detail]?.longest;n&&n.rank>=0&&e.select(n)}}
    ></mp-vtable>`}#e(){let{app:e}=this,t=this.pictures.calls,{from:n,until:r,row_from:i,row_until:a}=e.window,o=[];for(let s=0;s<t.length;s++){let c=e.positions[t.rank[s]]??-1;c<Math.floor(i)||c>=a||t.start_ns[s]<r&&t.start_ns[s]+t.duration_ns[s]>n&&o.push(s)}let s=(r-n)/1e3,c=[{id:`rank`,title:`Rank`,isNumber:!0,cell:n=>String(e.worldRank(t.rank[o[n]]))},{id:`start`,title:`Start`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>N(t.start_ns[o[e]],Math.min(s,1e3))},{id:`duration`,title:`Duration`,isNumber:!0,cell:e=>O(t.duration_ns[o[e]])},{id:`function`,title:`Function`,cell:n=>e.names?.function(t.function[o[n]])??``},{id:`peer`,title:`Peer`,isNumber:!0,cell:n=>t.peer[o[n]]>=0?String(e.worldRank(t.peer[o[n]])):``},{id:`bytes`,title:`Bytes`,isNumber:!0,cell:e=>k(t.bytes_sent[o[e]]+t.bytes_received[o[e]])},{id:`site`,title:`Called from`,cell:n=>e.names?.site(t.site[o[n]])??``}],{selection:l}=e.store.state;return x`<mp-vtable
      label="Timeline as a table: calls in sight"
      .columns=${c}
      .count=${o.length}
      .isSelected=${e=>t.rank[o[e]]===l?.rank&&t.row[o[e]]===l?.row}
      @activate=${n=>e.select({rank:t.rank[o[n.detail]],row:t.row[o[n.detail]]})}
    ></mp-vtable>`}};q([T({attribute:!1})],li.prototype,`app`,void 0),q([T({attribute:!1})],li.prototype,`pictures`,void 0),q([T({type:Number})],li.prototype,`round`,void 0),li=q([w(`mp-timeline-twin`)],li);var ui=4,di=.0022,fi=class extends C{static{this.styles=[D,o`
      :host {
        position: relative;
        height: 100%;
        min-height: 0;
        overflow: hidden;
        background: var(--panel);
      }
      .plot {
        position: absolute;
        inset: 0;
        outline-offset: -2px;
        touch-action: none;
      }
      .plot.panning {
        cursor: grabbing;
      }
      canvas {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
      }
      .tip {
        position: absolute;
        top: 0;
        left: 0;
        max-width: 340px;
        pointer-events: none;
        background: var(--panel);
        border: 1px solid var(--line-strong);
        border-radius: 5px;
        box-shadow: var(--shadow);
        padding: 5px 9px;
        font-size: 12px;
        z-index: 3;
      }
      .tip table {
        border-spacing: 0;
      }
      .tip td {
        padding: 0 8px 0 0;
      }
      .tip td.number {
        text-align: right;
      }
      .tip .swatch {
        display: inline-block;
        width: 9px;
        height: 9px;
        margin-right: 5px;
      }
      .status {
        position: absolute;
        right: 14px;
        bottom: 6px;
        display: flex;
        gap: 6px;
        font-size: 11px;
        pointer-events: none;
      }
      .status span {
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 4px;
        padding: 1px 7px;
        color: var(--muted);
      }
      .busy {
        position: absolute;
        left: 0;
        top: 0;
        height: 2px;
        width: 100%;
        background: linear-gradient(90deg, transparent, var(--accent), transparent) 0 0 / 40% 100% no-repeat;
        animation: busy 1s linear infinite;
      }
      @keyframes busy {
        from {
          background-position: -60% 0;
        }
        to {
          background-position: 160% 0;
        }
      }
      @media (prefers-reduced-motion: reduce) {
        .busy {
          animation: none;
          background: var(--accent);
        }
      }
    `]}#e;#t;#n;#r;#i;#a;constructor(){super(),this.isStill=!1,this.drag=null,this.hover=null,this.isPanning=!1,this.#t=null,this.#n=0,this.#r=null,this.#i=null,this.#a=0,new F(this,()=>this.#s())}connectedCallback(){super.connectedCallback(),this.#e=new Tr(this.app,()=>{this.#a++,this.#s(),this.requestUpdate()})}disconnectedCallback(){super.disconnectedCallback(),this.#i?.disconnect(),this.#e.close(),cancelAnimationFrame(this.#n),this.#n=0}get hasPicture(){return this.#e.near!==null}get regionsInSight(){return[...new Set(this.#e.regions?.region??[])]}get isSettled(){return!this.#e.isBusy&&(this.#e.near!==null||this.#e.error!==null)}#o(){return this.renderRoot.querySelector(`.plot`)}updated(){this.#i||(this.#i=new ResizeObserver(()=>this.#s()),this.#i.observe(this)),this.#b(),this.#s()}#s(){this.#n||!this.isConnected||(this.#n=requestAnimationFrame(()=>{this.#n=0,this.#l()}))}get#c(){let{app:e}=this;return!this.#t||!e.run?null:{app:e,window:e.window,whole:e.whole,layout:this.#t,pictures:this.#e,ink:V[e.theme],drag:this.drag,hover:this.hover}}#l(){let e=this.renderRoot.querySelector(`canvas`),{app:t}=this;if(!t.run||t.rows===0)return;let n=this.clientWidth,r=this.clientHeight;if(!n||!r||(this.#t=Zt(n,r,!!t.run.iterations,t.comparison.hasGroups),this.#e.update(t.window,this.#t),!e))return;let i=devicePixelRatio||1;(e.width!==Math.round(n*i)||e.height!==Math.round(r*i))&&(e.width=Math.round(n*i),e.height=Math.round(r*i));let a=e.getContext(`2d`,{alpha:!1});a.setTransform(i,0,0,i,0,0),Xr(a,this.#c)}#u(e){let t=this.getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#d(e){let t=this.#t;if(!t||e.button>1)return;let{x:n,y:r}=this.#u(e),i=en(t,n,r);i!==`none`&&(this.#o()?.setPointerCapture(e.pointerId),this.#o()?.focus({preventScroll:!0}),i===`map`?(this.#r={kind:`map`},this.#h(n)):i===`scroll`?this.#r={kind:`scroll`,y:r}:e.button===1||e.shiftKey||i===`axis`||i===`ruler`?(this.#r={kind:`pan`,x:n,y:r},this.isPanning=!0,e.preventDefault()):i===`gutter`?this.#g(r):this.#r={kind:`area`,x:n,y:r})}#f(e){let t=this.#t;if(!t)return;let{x:n,y:r}=this.#u(e),i=this.#r;if(!i){let e=en(t,n,r);this.hover=e===`plot`?{x:n,y:r}:null;return}this.hover=null;let{app:a}=this;if(i.kind===`map`)this.#h(n);else if(i.kind===`pan`)a.setWindow(jt(a.window,a.whole,(i.x-n)/t.plotWidth,(i.y-r)/t.plotHeight),!0),i.x=n,i.y=r;else if(i.kind===`scroll`){let e=a.whole.row_until;a.setWindow(jt(a.window,a.whole,0,(r-i.y)/t.plotHeight*e/(a.window.row_until-a.window.row_from)),!0),i.y=r}else(Math.abs(n-i.x)>=ui||this.drag)&&(this.drag=this.#p(i,{x:n,y:r}))}#p(e,t){let n=this.#t,r=this.app.window,[i,a]=e.x<t.x?[e.x,t.x]:[t.x,e.x],[o,s]=e.y<t.y?[e.y,t.y]:[t.y,e.y],c=e=>Math.max(n.left,Math.min(n.left+n.plotWidth,e)),l=s-o<6,u=Math.max(0,Math.floor($t(n,r,Math.max(o,n.top)))),d=Math.min(this.app.rows,Math.ceil($t(n,r,Math.min(s,n.top+n.plotHeight))));return{from:Math.round(Qt(n,r,c(i))),until:Math.max(Math.round(Qt(n,r,c(a))),Math.round(Qt(n,r,c(i)))+1),row_from:l?null:u,row_until:l?null:Math.max(d,u+1)}}#m(e){let t=this.#r;if(this.#r=null,this.isPanning=!1,!t)return;if(t.kind!==`area`){this.app.store.flush();return}let n=this.drag;this.drag=null;let r=this.isStill?{page:`views`}:{};n?this.app.store.set({...r,area:n}):this.#_(this.#u(e),r)}#h(e){let t=this.#t,{window:n,whole:r}=this.app,i=r.from+(e-t.left)/t.plotWidth*(r.until-r.from),a=(n.until-n.from)/2;this.app.setWindow(Ot({...n,from:i-a,until:i+a},r),!0)}#g(e){let t=Math.floor($t(this.#t,this.app.window,e));if(t<0||t>=this.app.rows)return;let{from:n,until:r}=this.app.window;this.app.store.set({area:{from:Math.round(n),until:Math.round(r),row_from:t,row_until:t+1}})}#_({x:e,y:t},n){let r=this.#v(e,t),{store:i}=this.app;r?i.set({...n,selection:{rank:r.rank,row:r.row}}):i.state.area?i.set({area:null}):i.state.selection&&i.set({selection:null})}#v(e,t){let n=this.#t,{app:r}=this;if(!n)return null;let i=r.window,a=Math.floor($t(n,i,t)),o=Qt(n,i,e),{calls:s,cells:c}=this.#e,l=new Set(r.store.state.hidden);if(s&&(this.#e.isSingle||this.#e.isFaded)){let e=vn(s,r.rankAt(a),o,(i.until-i.from)/n.plotWidth*4,e=>l.has(e));return e>=0?{rank:s.rank[e],row:s.row[e],index:e}:null}let u=c?yn(c,a,o):null;return u&&u.longest_rank>=0&&u.shares.length?{rank:u.longest_rank,row:u.longest_row,index:-1}:null}#y(e){let t=this.#t;if(!t)return;let n=e.ctrlKey||e.metaKey;if(this.isStill&&!n)return;e.preventDefault();let{app:r}=this,{x:i,y:a}=this.#u(e),o=e.deltaMode===1?16:e.deltaMode===2?400:1,s=e.deltaX*o,c=e.deltaY*o,l=Math.max(0,Math.min(1,(i-t.left)/t.plotWidth));if(n)r.setWindow(kt(r.window,r.whole,Math.exp(c*di),l),!0);else if(e.altKey)r.setWindow(At(r.window,r.whole,Math.exp(c*di),Math.max(0,Math.min(1,(a-t.top)/t.plotHeight))),!0);else{let n=e.shiftKey&&!s?c:s,i=e.shiftKey&&!s?0:c;r.setWindow(jt(r.window,r.whole,n/t.plotWidth,i/t.plotHeight),!0)}}#b(){let e=this.renderRoot.querySelector(`.tip`);if(!e||!this.hover)return;let{x:t,y:n}=this.hover,{offsetWidth:r,offsetHeight:i}=e,a=t+16+r>this.clientWidth?Math.max(0,t-r-12):t+16,o=n+16+i>this.clientHeight?Math.max(0,n-i-10):n+16;e.style.transform=`translate(${Math.round(a)}px, ${Math.round(o)}px)`}render(){let{app:e}=this,t=this.#e;if(e.store.state.twins.includes(`timeline`)&&!this.isStill)return x`<mp-timeline-twin .app=${e} .pictures=${t} .round=${this.#a}></mp-timeline-twin>`;let n=this.#c,r=n?gn(n):`Timeline`;return x`<div
        class="plot ${this.isPanning?`panning`:``}"
        role="group"
        tabindex="0"
        aria-label=${e.comparison.isTwo?`Timeline ${it[e.side]}`:`Timeline`}
        aria-describedby="summary"
        @pointerdown=${e=>this.#d(e)}
        @pointermove=${e=>this.#f(e)}
        @pointerup=${e=>this.#m(e)}
        @pointercancel=${()=>(this.#r=null,this.drag=null)}
        @pointerleave=${()=>this.hover=null}
        @dblclick=${e=>this.#x(e)}
        @wheel=${{handleEvent:e=>this.#y(e),passive:!1}}
      >
        <canvas role="img" aria-label=${r}></canvas>
      </div>
      <span id="summary" class="hidden-text">${r}</span>
      ${this.#S()} ${t.isBusy?x`<div class="busy"></div>`:S}
      ${this.hover&&n&&!this.drag?x`<div class="tip">${ai(n,this.hover,(e,t)=>this.#v(e,t)?.index??-1)}</div>`:S}
      ${t.error&&e.run?.state===`ready`?I(t.error):S}`}#x(e){let{x:t,y:n}=this.#u(e),r=this.#t;if(!r||en(r,t,n)!==`plot`)return;let{app:i}=this;i.setWindow(kt(i.window,i.whole,.25,(t-r.left)/r.plotWidth),!1)}#S(){let{app:e}=this,t=this.#e,n=[],r=t.matching;r!==null&&n.push(`${A(r)} matching calls`),t.isBusy&&t.done!==null&&n.push(`reading calls for the filter: ${Math.round(100*t.done)} %`),t.isSingle&&t.messages?.head.is_cut&&e.store.state.layers.includes(`messages`)&&n.push(`${j(t.messages.head.total)} messages: zoom in for arrows`);let{kept:i}=e.client;return i&&!this.isStill&&!t.isSingle&&n.push(`exported page: single calls are kept from ${N(i.from,(i.until-i.from)/100)} to ${N(i.until,(i.until-i.from)/100)}`),x`<div class="status">${n.map(e=>x`<span>${e}</span>`)}</div>`}};q([T({attribute:!1})],fi.prototype,`app`,void 0),q([T({type:Boolean})],fi.prototype,`isStill`,void 0),q([E()],fi.prototype,`drag`,void 0),q([E()],fi.prototype,`hover`,void 0),q([E()],fi.prototype,`isPanning`,void 0),fi=q([w(`mp-timeline`)],fi);var pi=120,mi=400,hi=class{#e;#t;#n;#r;constructor(e){this.value=null,this.done=null,this.error=null,this.isBusy=!1,this.#t=new tr,this.#n=``,this.#r=null,this.#e=e,e.addController({hostConnected:()=>{},hostDisconnected:()=>{this.#r!==null&&clearTimeout(this.#r),this.#t.cancel(),this.#n=``}})}update(e,t,n=null){let r=JSON.stringify(e);if(r===this.#n)return;let i=this.#n===``;this.#n=r,this.#r!==null&&clearTimeout(this.#r),this.isBusy=!0,this.#r=setTimeout(()=>{this.#r=null,this.#i(t,n)},i?0:pi)}async#i(e,t){this.done=null;try{let n=await this.#t.run(async n=>{let r=await e(n);return n.aborted||!t?.isSample(r)?r:(this.value=r,this.error=null,this.done=0,this.#e.requestUpdate(),this.#a(t,n))});if(n===void 0)return;this.value=n,this.error=null}catch(e){if(er(e))return;this.error=K(e),this.value=null}this.isBusy=this.#t.isBusy,this.done=null,this.#e.requestUpdate()}async#a(e,t){let n=!1;(async()=>{for(;!n&&!t.aborted;){await new Promise(e=>setTimeout(e,mi));let r=n?null:await e.done(t).catch(()=>null);n||t.aborted||r===null||(this.done=r,this.#e.requestUpdate())}})();try{return await e.exact(t)}finally{n=!0}}};function gi(e,t){let n=e.names?.classOf(t)??`local`;return vi(U(e.store.state.colouring===`class`?W(n,e.theme):Rn(t,n,e.theme)))}function _i(e,t){return vi(U(W(t,e.theme)))}function vi(e,t=!1){return x`<svg width="11" height="11" viewBox="0 0 11 11" aria-hidden="true" class="swatch">
    <rect width="11" height="11" rx="2" fill=${e}></rect>
    ${t?Te`<path d="M0 5L5 0M0 11L11 0M5 11L11 5" stroke="#000" stroke-opacity=".6" stroke-width="1.4"></path>`:``}
  </svg>`}var yi=[{id:`function`,title:`Function`},{id:`site`,title:`Call site`},{id:`rank`,title:`Rank`},{id:`host`,title:`Host`},{id:`peer`,title:`Peer`},{id:`comm`,title:`Communicator`},{id:`size_bin`,title:`Size bin`},{id:`bytes`,title:`Bytes`},{id:`tag`,title:`Tag`},{id:`region`,title:`Region`},{id:`iteration`,title:`Iteration`},{id:`thread`,title:`Thread`},{id:`class`,title:`Class`}],bi=e=>yi.find(t=>t.id===e)?.title??e;function xi(e,t,n){let{id:r}=t;if(r===null)return null;switch(e){case`function`:return{functions:[r]};case`class`:return{functions:n(r)};case`rank`:return{ranks:String(r)};case`bytes`:return{bytes_min:r,bytes_max:r};case`size_bin`:return Ci(r);case`host`:case`peer`:case`comm`:case`tag`:case`site`:case`region`:case`iteration`:case`thread`:return{[e]:r};default:return null}}var Si=31;function Ci(e){return e>=Si?{bytes_min:2**30,bytes_max:null}:e<=0?{bytes_min:0,bytes_max:0}:{bytes_min:2**(e-1),bytes_max:2**e-1}}var wi=[{id:`function`,title:`Function`},{id:`site`,title:`Call site`},{id:`peer_class`,title:`Peer class`},{id:`size_bin`,title:`Size bin`},{id:`region`,title:`Region`},{id:`class`,title:`Class`},{id:`comm`,title:`Communicator`},{id:`rank`,title:`Rank`},{id:`iteration`,title:`Iteration`}],Ti=2e3,Ei=(e,t)=>e===0?`0`:`${e<0?`−`:`+`}${t(Math.abs(e))}`;function Di(e){return e.before?e.after?e.ratio===null?`–`:`× ${e.ratio>=100?A(Math.round(e.ratio)):e.ratio.toFixed(e.ratio<.1?3:2)}`:`gone`:`new`}var Oi={changed:`yes`,noise:`no`,unknown:`not known`,same:`the same`},ki={text:e=>e.text,before_count:e=>e.before?.count??0,after_count:e=>e.after?.count??0,before_total:e=>e.before?.total_ns??0,after_total:e=>e.after?.total_ns??0,before_mean:e=>e.before?.mean_ns??0,after_mean:e=>e.after?.mean_ns??0,difference:e=>Math.abs(e.difference_ns),ratio:e=>e.after?e.ratio??1/0:0,iteration:e=>Math.abs((e.iteration?.after_ns??0)-(e.iteration?.before_ns??0))};function Ai(e,t,n){let r=ki[t]??ki.difference,i=(e,t)=>{let[n,i]=[r(e),r(t)];return typeof n==`string`?n.localeCompare(i,`en`,{numeric:!0}):n-i};return[...e].sort((e,t)=>(n?1:-1)*i(e,t))}var ji=class extends C{static{this.styles=[D,$e,tt]}#e=new hi(this);constructor(){super(),new F(this)}get#t(){return this.app.comparison.apps}get#n(){return this.#t.length>1&&this.#t.every(e=>e.run?.state===`ready`)}willUpdate(){if(!this.#n)return;let[e,t]=this.#t,[n,r]=[e,t].map(e=>ar(e.store.state,e.window)),{functions:i,tag:a,bytes_min:o,bytes_max:s,duration_min:c,duration_max:l}=this.app.store.state.filter,u={functions:i,tag:a,bytes_min:o,bytes_max:s,duration_min:c,duration_max:l,from:n.from,until:n.until,other_from:r.from,other_until:r.until,by:this.app.store.state.differences.by,limit:Ti},d=this.#t.map(e=>e.run?.is_explained);this.#e.update([u,d,this.#t.map(e=>e.growth)],t=>e.client.differences(u,t))}#r(e){let{differences:t}=this.app.store.state,n=t.sort===e?!t.ascending:e===`text`;this.app.store.set({differences:{...t,sort:e,ascending:n}})}#i(e){let{comparison:t}=this.app,n=e[t.about===0?`before`:`after`]?t.about:+!e.before,r=this.#t[n],{by:i}=r.store.state.differences,a=(n===0?e.before:e.after)?.id??null,o=r.run?.classes??[],s=xi(i,{id:a,text:e.text},e=>(r.run?.functions??[]).filter(t=>t.class===o[e]?.id).map(e=>e.id));if(!s){r.say(`Calls cannot be filtered by this.`);return}let c=e.function===null?{}:{functions:[e.function]};r.store.set({page:`views`,filter:{...r.store.state.filter,...s,...c}})}render(){let{app:e}=this,{by:t,sort:n,ascending:r}=e.store.state.differences,i=this.#e.value,a=i?Ai(i.rows,n,r):[],o=a.reduce((e,t)=>Math.max(e,Math.abs(t.difference_ns)),1),s=(e,t,n,r={})=>({id:e,title:t,isNumber:!0,isSortable:!0,cell:e=>n(a[e]),...r}),c=[{id:`text`,title:wi.find(e=>e.id===t)?.title??t,isSortable:!0,width:t===`site`?`minmax(210px, 2.4fr)`:`minmax(130px, 1.5fr)`,cell:t=>a[t].function===null?a[t].text:x`${gi(e,a[t].function)} ${a[t].text}`},s(`difference`,`Difference`,e=>x`${Mi(e.difference_ns,o)} <b>${Ei(e.difference_ns,O)}</b>`,{width:`minmax(122px, 1.25fr)`,help:`Time in all ranks, after minus before`}),s(`ratio`,`Ratio`,Di,{width:`minmax(58px, 0.6fr)`,help:`Time in all ranks, after by before`}),s(`before_total`,`Time before`,e=>e.before?O(e.before.total_ns):`–`),s(`after_total`,`after`,e=>e.after?O(e.after.total_ns):`–`,{help:`Time after`}),s(`before_count`,`Calls before`,e=>e.before?A(e.before.count):`–`),s(`after_count`,`after`,e=>e.after?A(e.after.count):`–`,{help:`Calls after`}),s(`before_mean`,`Mean before`,e=>e.before?O(e.before.mean_ns):`–`),s(`after_mean`,`after`,e=>e.after?O(e.after.mean_ns):`–`,{help:`Mean duration of a call after`}),s(`iteration`,`By iteration`,e=>Ni(e),{width:`minmax(160px, 1.6fr)`,help:`Median of an iteration before and after, and where their difference lies with 95 % confidence, as far as iterations of one run differ from each other`}),{id:`judgement`,title:`Beyond noise`,cell:e=>a[e].iteration?Oi[a[e].iteration.judgement]:`–`,width:`minmax(90px, 0.9fr)`,help:`Whether it is more than iterations of one run differ. How much runs differ from each other only repeated runs say: mpiscope diff`}],l=e=>(e!==`iteration`||this.#t.every(e=>e.run?.iterations))&&(e!==`region`||this.#t.some(e=>e.run?.regions.length));return x`<div class="controls">
        <label>compare by
          <select
            aria-label="Compare by"
            @change=${t=>e.store.set({differences:{...e.store.state.differences,by:t.target.value}})}
          >
            ${wi.filter(e=>l(e.id)).map(e=>x`<option value=${e.id} ?selected=${e.id===t}>${e.title}</option>`)}
          </select></label>
        <span class="muted">${this.#a(i)}</span>
        <span class="space"></span>
        <span class="muted">${i?i.is_cut?`the first ${A(i.rows.length)} of ${A(i.total)} groups`:`${A(i.total)} groups`:``}</span>
      </div>
      ${this.#n?this.#e.error?I(this.#e.error):x`<mp-vtable
              label="Differences between the runs; Enter filters by a row"
              aria-busy=${this.#e.isBusy}
              .columns=${c}
              .count=${a.length}
              .sort=${{id:n,ascending:r}}
              empty=${this.#e.isBusy?`…`:`No calls here.`}
              @sort=${e=>this.#r(e.detail)}
              @activate=${e=>a[e.detail]&&this.#i(a[e.detail])}
            ></mp-vtable>`:Rt()}`}#a(e){let{area:t,filter:n}=this.app.store.state,{from:r}=ar(this.app.store.state,this.app.window),i=t?`the selected stretch of time`:r===null?`the whole runs`:`the time in sight`,a=e&&!e.is_judged?`; no iterations in both to judge noise by`:``;return`${i}, all ranks${Object.values(n).some(e=>e!==null)?`; filtered by function, size, duration and tag only`:``}${a}`}};q([T({attribute:!1})],ji.prototype,`app`,void 0),ji=q([w(`mp-differences`)],ji);function Mi(e,t){let n=Math.max(e===0?0:.5,Math.abs(e)/t*20);return x`<svg width="42" height="10" viewBox="0 0 42 10" aria-hidden="true">
    <rect x=${e<0?21-n:21} y="1" width=${n} height="8" class=${e<0?`less`:`more`} fill=${e<0?`#2a78c2`:`#d3691a`}></rect>
    ${Te`<path d="M21 0V10" stroke="currentColor" stroke-opacity=".5"></path>`}
  </svg>`}function Ni({iteration:e}){if(!e)return`–`;let{before_ns:t,after_ns:n,interval_ns:r}=e;return x`<span title=${(r?`${Ei(r[0],O)} to ${Ei(r[1],O)}`:null)??S}>${O(t)} → ${O(n)}</span>`}function Pi(e,t){let n=(n,r,i,a,o)=>({title:n,level:r,unit:i,isMoreBetter:a,before:(e&&o(e))??null,after:(t&&o(t))??null}),r=e=>t=>t.explanation?.time[e];return[n(`Wall time`,0,`ns`,!1,e=>e.overview.wall_ns?.max.value),n(`Rank time`,0,`ns`,!1,e=>e.explanation?.scope.rank_time_ns),n(`computing`,1,`ns`,null,r(`computing_ns`)),n(`waiting for other ranks`,1,`ns`,!1,r(`waiting_ns`)),n(`in MPI otherwise`,1,`ns`,!1,r(`communicating_ns`)),n(`Iteration`,0,`ns`,!1,e=>e.explanation?.iterations?.period_ns),n(`Parallel efficiency`,0,`share`,!0,e=>e.explanation?.efficiency?.parallel),n(`Load balance`,1,`share`,!0,e=>e.explanation?.efficiency?.load_balance),n(`Communication`,1,`share`,!0,e=>e.explanation?.efficiency?.communication),n(`Serialisation`,2,`share`,!0,e=>e.explanation?.efficiency?.serialisation),n(`Transfer`,2,`share`,!0,e=>e.explanation?.efficiency?.transfer),n(`Calls of MPI`,0,`count`,null,e=>e.overview.calls),n(`Ranks`,0,`count`,null,e=>e.overview.ranks)].filter(e=>e.before!==null||e.after!==null)}function Fi(e,t){return e.id===t.id&&(e.sites.some(e=>t.sites.includes(e))||!e.sites.length||!t.sites.length)}function Ii(e,t){let n=e?.explanation?.findings??[],r=(t?.explanation?.findings??[]).map((e,t)=>({finding:e,index:t})),i=new Set(r),a=[],o=n.map(e=>{let t=[...i].find(t=>Fi(e,t.finding))??null;return t&&i.delete(t),t});n.forEach((e,t)=>{let n=o[t]??null;n||(n=[...i].find(t=>t.finding.id===e.id)??null,n&&i.delete(n)),a.push({id:e.id,fate:n?`stayed`:`gone`,before:{finding:e,index:t},after:n,difference_ns:(n?.finding.cost_ns??0)-e.cost_ns})});for(let e of i)a.push({id:e.finding.id,fate:`new`,before:null,after:e,difference_ns:e.finding.cost_ns});return a.sort((e,t)=>Math.abs(t.difference_ns)-Math.abs(e.difference_ns))}var Li={ns:O,share:M,count:A},Ri={gone:`gone`,stayed:`still there`,new:`new`},zi=class extends C{static{this.styles=[D,et,st,o`
      .page {
        grid-template-columns: minmax(340px, 1fr) minmax(0, 1.5fr);
      }
      .card > h2 {
        align-items: center;
      }
      .verdict {
        font-size: 15px;
        padding: 10px 14px;
        display: flex;
        gap: 8px 22px;
        flex-wrap: wrap;
        align-items: center;
      }
      .strip {
        height: 176px;
        border-top: 1px solid var(--line);
      }
      .name {
        padding: 3px 12px;
        display: flex;
        gap: 8px;
        align-items: center;
        border-top: 1px solid var(--line);
      }
      .name:first-of-type {
        border-top: 0;
      }
      .in1 {
        padding-left: 14px;
      }
      .in2 {
        padding-left: 28px;
      }
      tr:last-child td {
        border-bottom: 0;
      }
      .good {
        color: var(--good);
      }
      .bad {
        color: var(--bad);
      }
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
        max-height: 380px;
        overflow: auto;
      }
      li {
        padding: 8px 12px 9px;
        border-bottom: 1px solid var(--line);
        display: grid;
        grid-template-columns: 92px minmax(0, 1fr);
        gap: 2px 12px;
      }
      li:last-child {
        border-bottom: 0;
      }
      h3 {
        font-size: 13px;
      }
      .fate {
        font-weight: 600;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: 6px;
        margin-top: 5px;
      }
      .buttons button,
      h2 button {
        min-height: 24px;
      }
      .table {
        height: 400px;
      }
      .error {
        padding: 10px 12px;
      }
      @media (max-width: 1000px) {
        .page {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `]}constructor(){super(),new F(this)}render(){let{app:e}=this,[t,n]=e.comparison.apps;if(!t||!n)return x`<p class="note">One run is open. <code>mpiscope view RUN OTHER</code> shows two, and what changed between them.</p>`;let r=[t,n].filter(e=>!Bi(e));return x`<div class="page">
      ${this.#e(t,n)}
      <section class="card wide" aria-label="Both runs on one time scale">
        <h2>
          Both runs on one time scale
          <button class="line" @click=${()=>e.store.set({page:`views`,left:`differences`})}>Open the timelines</button>
        </h2>
        ${[t,n].map(e=>x`<div class="name">${ot(e)} <span class="muted number">${Vi(e)}</span></div>
            ${Bi(e)?x`<div class="error" role="alert"><b>This run cannot be shown.</b> ${Bi(e)}</div>`:x`<div class="strip"><mp-timeline .app=${e} .isStill=${!0}></mp-timeline></div>`}`)}
      </section>
      ${this.#t(t,n)} ${this.#n(t,n)}
      ${r.length===2?x`<section class="card wide" aria-label="Where the time changed">
            <h2>Where the time changed <span class="muted">in MPI, all ranks together</span></h2>
            <div class="table"><mp-differences .app=${e}></mp-differences></div>
          </section>`:S}
    </div>`}#e(e,t){let[n,r]=[e,t].map(e=>e.report?.overview.wall_ns?e.report.overview.wall_ns.max.value:null);if(!n||!r)return S;let i=r/n,a=Math.abs(i-1)<.01?`as long as`:i<1?`shorter than`:`longer than`,o=[];return e.run?.ranks.count!==t.run?.ranks.count&&o.push(`${A(e.run?.ranks.count??0)} ranks before, ${A(t.run?.ranks.count??0)} after: times of all ranks are not of the same size`),e.run?.mpi&&t.run?.mpi&&e.run.mpi.split(`,`)[0]!==t.run.mpi.split(`,`)[0]&&o.push(`${e.run.mpi.split(`,`)[0]} before, ${t.run.mpi.split(`,`)[0]} after`),e.run?.command.join(` `)!==t.run?.command.join(` `)&&o.push(`the commands differ`),(e.run?.is_writing||t.run?.is_writing)&&o.push(`a program was still running when its run was opened`),x`<section class="card wide verdict" aria-label="In one line">
      <span
        ><b class=${i<.99?`good`:i>1.01?`bad`:``}>${a===`as long as`?`After is as long as before`:`After is ${M(Math.abs(1-i))} ${a} before`}</b>:
        <span class="number">${O(n)} → ${O(r)}</span> wall time${a===`as long as`?``:x` <span class="muted number">(× ${i.toFixed(2)})</span>`}</span
      >
      ${o.map(e=>x`<span class="muted">${e}</span>`)}
    </section>`}#t(e,t){let n=Pi(e.report,t.report),r=e=>{if(e.before===null||e.after===null)return`–`;let t=e.after-e.before;return x`<span class=${!(Math.abs(t)>(e.unit===`share`?.005:Math.abs(e.before)/200))||e.isMoreBetter===null?``:t>0===e.isMoreBetter?`good`:`bad`}>${e.unit===`share`?Ei(Math.round(t*1e3)/10,e=>`${e.toFixed(1)} points`):Ei(t,Li[e.unit])}</span>`};return x`<section class="card" aria-label="Time and efficiencies">
      <h2>Time and efficiencies</h2>
      ${n.length?x`<table>
            <thead>
              <tr><th scope="col">Number</th><th scope="col">Before</th><th scope="col">After</th><th scope="col">Change</th></tr>
            </thead>
            <tbody>
              ${n.map(e=>x`<tr>
                  <td><span class=${e.level?`in${e.level}`:``}>${e.title}</span></td>
                  <td class="number">${e.before===null?`–`:Li[e.unit](e.before)}</td>
                  <td class="number">${e.after===null?`–`:Li[e.unit](e.after)}</td>
                  <td class="number">${r(e)}</td>
                </tr>`)}
            </tbody>
          </table>`:x`<p class="note" role="status">The runs are being read …</p>`}
      <p class="note">One run on a side: how much of this is noise, only repeated runs say: <code>mpiscope diff</code>.</p>
    </section>`}#n(e,t){let n=!!e.report?.explanation&&!!t.report?.explanation,r=Ii(e.report,t.report);return x`<section class="card" aria-label="Findings of both">
      <h2>What went, and what came <span class="muted">findings, by change of cost in rank time</span></h2>
      ${n?r.length?x`<ol tabindex="0" aria-label="Findings of both runs">${r.map(n=>this.#r(n,e,t))}</ol>`:x`<p class="note">Nothing costs more than a hundredth of the rank time, neither before nor after.</p>`:x`<p class="note" role="status">${e.run?.is_explained&&t.run?.is_explained?`One of the runs has no findings that could be read.`:`The runs are being analysed …`}</p>`}
    </section>`}#r(e,t,n){let{before:r,after:i,fate:a}=e,o=(i??r).finding,s=e=>e?`${O(e.finding.cost_ns)} (${M(e.finding.share)})`:`nothing`,c=(e,t,n)=>t?.finding.proof.length&&e.run?.state===`ready`?x`<button class="line" @click=${()=>It(e,t.index,t.finding.proof[0])}>Show it ${n}</button>`:S;return x`<li>
      <div>
        <span class="fate ${a===`gone`?`good`:a===`new`?`bad`:``}">${Ri[a]}</span>
        <div class="number muted">${Ei(e.difference_ns,O)}</div>
      </div>
      <div>
        <h3>${o.title}</h3>
        <div class="number">${s(r)} → ${s(i)}</div>
        ${a!==`gone`&&o.advice?x`<div class="muted">${o.advice}</div>`:S}
        <div class="buttons">${c(t,r,`before`)} ${c(n,i,`after`)}</div>
      </div>
    </li>`}};q([T({attribute:!1})],zi.prototype,`app`,void 0),zi=q([w(`mp-compare`)],zi);function Bi(e){return e.error?`${e.error.message}. ${e.error.next}`:e.run?.state===`failed`?`${e.run.failure?.what??`Reading it failed`}. ${e.run.failure?.next??``}`:e.run&&e.run.state===`ready`&&e.run.calls===0&&!e.run.files?`It has no call of MPI.`:null}function Vi(e){let{run:t}=e;if(!t)return`opening …`;let n=t.state===`building`?`being read, ${Math.round(t.done*100)} %`:null;return[t.command.slice(0,12).join(` `),`${A(t.ranks.count)} ${t.ranks.count===1?`rank`:`ranks`}`,`${A(t.calls)} calls`,O(t.until_ns-t.from_ns),n].filter(Boolean).join(` · `)}var Hi={ArrowLeft:`←`,ArrowRight:`→`,ArrowUp:`↑`,ArrowDown:`↓`,BracketLeft:`[`,BracketRight:`]`,Period:`.`,Comma:`,`,Slash:`/`,Escape:`Esc`,Home:`Home`,Equal:`+`,Minus:`−`};function Ui(e){let t=e.key??Hi[e.code??``]??(e.code??``).replace(/^(Key|Digit)/,``);return[e.ctrl?`Ctrl`:``,e.alt?`Alt`:``,e.shift&&!e.key?`Shift`:``,t].filter(Boolean).join(`+`)}function Wi(e,t){return!!e.ctrl!==(t.ctrlKey||t.metaKey)||!!e.alt!==t.altKey?!1:e.key===void 0?t.code===e.code&&!!e.shift===t.shiftKey:t.key===e.key}function Gi(e,t,n){return e.find(e=>e.keys.some(e=>Wi(e,t))&&(e.when?.(n)??!0))??null}var Ki=`input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]`;function qi(){let e=document.activeElement;for(;e?.shadowRoot?.activeElement;)e=e.shadowRoot.activeElement;return e}function Ji(e,t){window.addEventListener(`keydown`,n=>{if(n.defaultPrevented)return;let r=e(),i=qi()?.matches(Ki)??!1,a=n.ctrlKey||n.metaKey||n.altKey;if((i||r.dialog)&&!a||!a&&!r.hasSingleKeys&&n.key.length===1)return;let o=Gi(t,n,r);o&&(n.preventDefault(),o.run(r))})}var Yi=[`ranks`,`pin`,`group`,`sort`];function Xi(e,t){let n=e.split(`;`).find(e=>e.startsWith(`${t}:`));return n===void 0?null:n.slice(t.length+1)}function Y(e,t,n){return Yi.map(r=>[r,r===t?n:Xi(e,r)]).filter(([,e])=>e!==null&&e!==``).map(([e,t])=>`${e}:${t}`).join(`;`)}function Zi(e){let[t,n]=e.comparison.apps.map(e=>e.detail?.start_ns);t===void 0||n===void 0?e.say(`Select a call in each of both runs first.`):(e.comparison.store.set({align:{by:`at`,moments:[Math.round(t),Math.round(n)]}}),e.say(`Aligned at the selected calls.`))}var Qi=e=>e.map(e=>e===null?``:String(e)).join(`~`);function $i(e,t){let n=e.split(`~`);if(n.length!==t)return null;let r=n.map(e=>e===``?null:Number(e));return r.every(e=>e===null||Number.isFinite(e))?r:null}var ea=e=>typeof e==`number`&&Number.isInteger(e)&&e>=0;function ta(e){return e.split(`,`).map(Number).filter(ea)}function na(e){return Object.entries(e).filter(([,e])=>e!==null).map(([e,t])=>`${e}:${Array.isArray(t)?t.join(`,`):String(t)}`).join(`;`)}function ra(e){let t={...St};for(let n of e.split(`;`)){let e=n.indexOf(`:`),r=n.slice(0,e),i=n.slice(e+1);e<0||!(r in St)||(r===`ranks`||r===`peers`?t[r]=/^[\d,-]+$/.test(i)?i:null:r===`functions`?t.functions=ta(i):i!==``&&Number.isFinite(Number(i))&&(t[r]=Number(i)))}return t}function ia(e){let t=[],n=(e,n,r=``)=>{n!==r&&t.push([e,n])};n(`page`,e.page,P.page),n(`t`,Qi([e.from,e.until]),`~`),n(`rows`,Qi([e.row_from,e.row_until]),`~`),n(`order`,e.order),n(`filter`,na(e.filter)),e.selection&&n(`call`,Qi([e.selection.rank,e.selection.row])),e.area&&n(`area`,Qi([e.area.from,e.area.until,e.area.row_from,e.area.row_until])),n(`hidden`,e.hidden.join(`,`)),n(`skipped`,e.skipped.join(`,`)),n(`colour`,e.colouring,P.colouring),n(`layers`,e.layers.join(`,`),P.layers.join(`,`)),n(`left`,e.left,P.left),n(`right`,e.right,P.right),n(`scope`,e.scope,P.scope);let r=e=>`${e.by}~${e.sort}~${+!!e.ascending}`;n(`table`,r(e.table),r(P.table));let i=e=>`${e.x}~${e.y}~${+!!e.x_log}~${+!!e.y_log}~${Qi([e.x_min,e.x_max,e.y_min,e.y_max])}${e.of===`messages`?`~messages`:``}`;n(`scatter`,i(e.scatter),i(P.scatter));let a=e=>`${e.field}~${+!!e.is_log}${e.of===`messages`?`~messages`:``}`;n(`histogram`,a(e.histogram),a(P.histogram));let o=e=>`${e.by}~${e.value}~${e.comm??``}`;n(`matrix`,o(e.matrix),o(P.matrix)),n(`twins`,e.twins.join(`,`)),n(`about`,String(e.about),`0`),e.other&&n(`other`,Qi([e.other.rank,e.other.row])),n(`align`,gt(e.align),gt(P.align));let s=e=>`${e.by}~${e.sort}~${+!!e.ascending}`;return n(`differences`,s(e.differences),s(P.differences)),n(`finding`,e.finding===null?``:String(e.finding)),t.map(([e,t])=>`${e}=${encodeURIComponent(t).replace(/%(3A|3B|2C|7E)/g,decodeURIComponent)}`).join(`&`)}function aa(e){let t={...P},n=new Map;for(let t of e.replace(/^#/,``).split(`&`)){let e=t.indexOf(`=`);if(!(e<0))try{n.set(t.slice(0,e),decodeURIComponent(t.slice(e+1)))}catch{}}let r=e=>n.get(e)??``,i=r(`page`);(i===`views`||i===`compare`)&&(t.page=i);let a=$i(r(`t`),2);a&&a[0]!==null&&a[1]!==null&&a[0]<a[1]&&(t.from=a[0],t.until=a[1]);let o=$i(r(`rows`),2);o&&o[0]!==null&&o[1]!==null&&o[0]<o[1]&&(t.row_from=o[0],t.row_until=o[1]),t.order=r(`order`),n.has(`filter`)&&(t.filter=ra(r(`filter`)));let s=$i(r(`call`),2);s&&ea(s[0])&&ea(s[1])&&(t.selection={rank:s[0],row:s[1]});let c=$i(r(`area`),4);c&&typeof c[0]==`number`&&typeof c[1]==`number`&&c[0]<c[1]&&(t.area={from:c[0],until:c[1],row_from:c[2]??null,row_until:c[3]??null}),r(`hidden`)&&(t.hidden=ta(r(`hidden`))),r(`skipped`)&&(t.skipped=ta(r(`skipped`))),r(`colour`)===`class`&&(t.colouring=`class`),n.has(`layers`)&&(t.layers=r(`layers`).split(`,`).filter(e=>xt.includes(e)));let l=e=>bt.includes(e),u=r(`left`),d=r(`right`);l(u)&&(t.left=u),l(d)&&(t.right=d),r(`scope`)===`run`&&(t.scope=`run`);let f=r(`table`).split(`~`);f.length===3&&/^[a-z_]+(,[a-z_]+)?$/.test(f[0])&&/^[a-z0-9_]+$/.test(f[1])&&(t.table={by:f[0],sort:f[1],ascending:f[2]===`1`});let p=r(`scatter`).split(`~`),m=e=>e===void 0||e===`messages`;if(p.length>=8&&p.length<=9&&m(p[8])){let e=$i(p.slice(4,8).join(`~`),4);e&&(t.scatter={x:p[0],y:p[1],x_log:p[2]===`1`,y_log:p[3]===`1`,of:p[8]??`calls`,x_min:e[0],x_max:e[1],y_min:e[2],y_max:e[3]})}let h=r(`histogram`).split(`~`);h.length>=2&&h.length<=3&&m(h[2])&&(t.histogram={field:h[0],is_log:h[1]===`1`,of:h[2]??`calls`});let g=r(`matrix`).split(`~`);g.length===3&&[`count`,`bytes`,`mean`,`latency`,`longest`].includes(g[1])&&(t.matrix={by:g[0]===`host`?`host`:`rank`,value:g[1],comm:g[2]?Number(g[2]):null}),r(`twins`)&&(t.twins=r(`twins`).split(`,`)),r(`about`)===`1`&&(t.about=1);let _=$i(r(`other`),2);_&&ea(_[0])&&ea(_[1])&&(t.other={rank:_[0],row:_[1]}),r(`align`)&&(t.align=_t(r(`align`)));let v=r(`differences`).split(`~`);return v.length===3&&/^[a-z_]+$/.test(v[0])&&/^[a-z0-9_]+$/.test(v[1])&&(t.differences={by:v[0],sort:v[1],ascending:v[2]===`1`}),n.has(`finding`)&&ea(Number(r(`finding`)))&&(t.finding=Number(r(`finding`))),t}async function oa(e){e.store.flush(),e.say(`Exporting …`);let{from:t,until:n}=e.window,r=e.store.state.page===`overview`?`overview`:`views`,i=ia({...e.store.state,page:r,about:0,other:null,align:P.align,order:``});try{let r=await e.client.export({from:Math.max(0,Math.floor(t)),until:Math.ceil(n),view:i}),a=URL.createObjectURL(new Blob([r],{type:`text/html`})),o=document.createElement(`a`);o.href=a,o.download=`${(e.run?.name??`run`).replace(/[^\w.-]/g,`_`)}.html`,o.click(),setTimeout(()=>URL.revokeObjectURL(a),6e4),e.say(`Exported: ${k(r.byteLength)}. The browser has put the page where it puts downloads.`)}catch(t){e.fail(t)}}var sa=.75,ca=.15,la=e=>e.store.state.page===`views`&&e.run!==null;function ua(e){let{area:t}=e.store.state,n=e.detail;return n&&e.store.state.selection?{start:n.start_ns,end:n.start_ns+n.duration_ns,row:e.positions[n.rank]??null}:t?{start:t.from,end:t.until,row:null}:null}function da(e){let t=ua(e);if(!t)return;let n=e.window,r=Mt(n,e.whole,t.start,t.end,t.row),i=Math.abs(r.from-n.from)<(n.until-n.from)/100&&Math.abs(r.row_from-n.row_from)<.5;e.setWindow(i?Nt(n,e.whole,t.start,t.end,t.row):r,!1)}function fa(e){let{rows_from_ns:t,rows_until_ns:n}=e.run?.ranks??{};if(!t?.length||!n?.length)return null;let[r,i]=[t.reduce((e,t)=>Math.min(e,t)),n.reduce((e,t)=>Math.max(e,t))];return i>r?Ot({...e.window,from:r,until:i},e.whole):null}function pa(e){let{area:t}=e.store.state;if(!t)return;let n=e.window;e.setWindow(Ot({from:t.from,until:t.until,row_from:t.row_from??n.row_from,row_until:t.row_until??n.row_until},e.whole),!1)}var X=(e,t,n,r)=>({id:e,title:t,group:`Move`,keys:n,when:la,run:r}),ma=[X(`zoom-in`,`Zoom in`,[{code:`KeyW`},{code:`Equal`}],e=>e.setWindow(kt(e.window,e.whole,sa,.5),!0)),X(`zoom-out`,`Zoom out`,[{code:`KeyS`},{code:`Minus`}],e=>e.setWindow(kt(e.window,e.whole,1/sa,.5),!0)),X(`earlier`,`Earlier`,[{code:`KeyA`},{code:`ArrowLeft`}],e=>e.setWindow(jt(e.window,e.whole,-.15,0),!0)),X(`later`,`Later`,[{code:`KeyD`},{code:`ArrowRight`}],e=>e.setWindow(jt(e.window,e.whole,ca,0),!0)),X(`rows-up`,`Ranks above`,[{code:`ArrowUp`}],e=>e.setWindow(jt(e.window,e.whole,0,-.15),!0)),X(`rows-down`,`Ranks below`,[{code:`ArrowDown`}],e=>e.setWindow(jt(e.window,e.whole,0,ca),!0)),X(`rows-in`,`Fewer, taller ranks`,[{code:`KeyW`,shift:!0}],e=>e.setWindow(At(e.window,e.whole,sa,.5),!0)),X(`rows-out`,`More, flatter ranks`,[{code:`KeyS`,shift:!0}],e=>e.setWindow(At(e.window,e.whole,1/sa,.5),!0)),{...X(`focus`,`Centre what is selected; again: fit it`,[{code:`KeyF`}],da),when:e=>la(e)&&ua(e)!==null},{...X(`zoom-to-area`,`Zoom to the selected area`,[{code:`KeyZ`}],pa),when:e=>la(e)&&e.store.state.area!==null},{...X(`main`,`From the end of MPI_Init to MPI_Finalize`,[{code:`Digit9`}],e=>e.setWindow(fa(e),!1)),when:e=>la(e)&&fa(e)!==null},X(`whole`,`The whole run`,[{code:`Home`},{code:`Digit0`}],e=>e.setWindow(e.whole,!1))];async function ha(e,t){let n=e.store.state,{from:r,until:i,row_from:a,row_until:o}=e.window,s=await e.client.calls({...n.filter,from:Math.round(r),until:Math.round(i),row_from:Math.floor(a),row_until:Math.ceil(o),order:n.order,limit:1},t);return s.length?{rank:s.rank[0],row:s.row[0],start_ns:s.start_ns[0],end_ns:s.start_ns[0]+s.duration_ns[0]}:null}var ga={rank:`in this rank`,functions:`of functions that are shown`,function:`of the same function`,comm:`on the same communicator`,message:`at the other end of a message`,collective:`in the same collective operation`,longer:`that takes longer`,site:`from the same call site`};function _a(e,t,n){let r=e.store.state.selection;if(!r){e.goTo(t=>ha(e,t),`There are no calls in sight.`);return}let i=t===`rank`?cr({...e.store.state,filter:St},e.run?.functions??[]):null,a=t===`longer`?{than_ns:e.detail?.duration_ns??0}:i?{functions:i}:{};e.goTo(o=>e.client.step(r,i?`functions`:t,n,a,o),`There is no ${n} call ${ga[t]}.`)}function va(e,t){_a(e,e.detail?.collective&&!e.detail.messages.length?`collective`:`message`,t)}function Z(e,t,n,r,i){return{id:e,title:t,group:`Walk`,keys:i,when:e=>e.run?.state===`ready`&&e.store.state.page===`views`,run:e=>_a(e,n,r)}}var ya=[Z(`next`,`Next call in the rank`,`rank`,`next`,[{code:`Period`}]),Z(`previous`,`Previous call in the rank`,`rank`,`previous`,[{code:`Comma`}]),{...Z(`along-next`,`To the other end of the message, or the next member of the collective operation`,`message`,`next`,[{code:`BracketRight`}]),run:e=>va(e,`next`)},{...Z(`along-previous`,`The same, the other way`,`message`,`previous`,[{code:`BracketLeft`}]),run:e=>va(e,`previous`)},Z(`next-function`,`Next call of the same function`,`function`,`next`,[{code:`KeyG`}]),Z(`previous-function`,`Previous call of the same function`,`function`,`previous`,[{code:`KeyG`,shift:!0}]),Z(`next-comm`,`Next call on the same communicator`,`comm`,`next`,[{code:`KeyC`}]),Z(`previous-comm`,`Previous call on the same communicator`,`comm`,`previous`,[{code:`KeyC`,shift:!0}]),Z(`next-site`,`Next call from the same call site`,`site`,`next`,[{code:`KeyE`}]),Z(`previous-site`,`Previous call from the same call site`,`site`,`previous`,[{code:`KeyE`,shift:!0}]),Z(`next-longer`,`Next call that takes longer`,`longer`,`next`,[{code:`KeyN`}]),Z(`previous-longer`,`Previous call that takes longer`,`longer`,`previous`,[{code:`KeyN`,shift:!0}]),{id:`longest`,title:`Longest call in sight`,group:`Walk`,keys:[{code:`KeyL`}],when:e=>e.run?.state===`ready`&&e.store.state.page===`views`,run:e=>void e.goTo(t=>ha(e,t),`There are no calls in sight.`)}],ba=e=>e.store.state.page===`views`,xa={messages:[`Message arrows`,`KeyM`],collectives:[`Lines through collective operations`,`KeyK`],waits:[`Hatching of waits`,`KeyH`],path:[`Critical path`,`KeyP`],regions:[`Regions of the program`,`KeyR`]},Sa=e=>xa[e][0],Ca={table:`Table`,scatter:`Scatter`,histogram:`Histogram`,matrix:`Matrix`,events:`Events`,differences:`Differences`},wa=e=>Ca[e],Ta=xt.map(e=>({id:`layer-${e}`,title:`${xa[e][0]}: on or off`,group:`Show`,keys:[{code:xa[e][1]}],when:ba,run:t=>{let{layers:n}=t.store.state,r=n.includes(e);t.store.set({layers:xt.filter(t=>t===e?!r:n.includes(t))}),t.say(`${xa[e][0]}: ${r?`off`:`on`}.`)}})),Ea=[`left`,`right`].flatMap(e=>bt.map((t,n)=>({id:`${e}-${t}`,title:`${Ca[t]} in the ${e} pane`,group:`Panes`,keys:[{code:`Digit${n+1}`,alt:!0,shift:e===`right`}],...t===`differences`?{when:e=>e.comparison.isTwo}:{},run:n=>n.store.set({page:`views`,[e]:t})}))),Da=[{id:`rank`,title:`By rank`,order:``},{id:`wait`,title:`By waiting time`,order:`sort:wait`},{id:`mpi`,title:`By time in MPI`,order:`sort:mpi`},{id:`computing`,title:`By computing time`,order:`sort:computing`},{id:`bytes`,title:`By bytes`,order:`sort:bytes`},{id:`calls`,title:`By calls`,order:`sort:calls`},{id:`host`,title:`Grouped by host`,order:`group:host`},{id:`host-wait`,title:`Grouped by host, by waiting time`,order:`group:host;sort:wait`}];function Oa(e){let t=e.detail?.region;return t?e.run?.regions.find(e=>e.name===t)?.id??null:null}var ka=(e,t)=>e.store.set({page:`views`,order:t,row_from:null,row_until:null,area:null}),Aa=[...Da.map(({id:e,title:t,order:n})=>({id:`order-${e}`,title:`Order of ranks: ${t.toLowerCase()}`,group:`Order of ranks`,keys:[],run:e=>ka(e,[`ranks`,`pin`].reduce((t,n)=>Y(t,n,Xi(e.store.state.order,n)),n))})),{id:`order-function`,title:`Order of ranks: by time in the selected call's function`,group:`Order of ranks`,keys:[],when:e=>e.detail!==null,run:e=>ka(e,Y(e.store.state.order,`sort`,`function:${e.detail.function_id}`))},{id:`order-region`,title:`Order of ranks: by time in the selected call's region`,group:`Order of ranks`,keys:[],when:e=>Oa(e)!==null,run:e=>ka(e,Y(e.store.state.order,`sort`,`region:${Oa(e)}`))},{id:`pin`,title:`Pin the selected call's rank to the top, or let it go`,group:`Order of ranks`,keys:[{code:`KeyI`}],when:e=>ba(e)&&e.store.state.selection!==null,run:e=>{let{order:t,selection:n}=e.store.state,r=n.rank,i=mt(Xi(t,`pin`)??``,e.run.ranks.count)??[],a=i.includes(r)?i.filter(e=>e!==r):[...i,r];ka(e,Y(t,`pin`,a.length?pt(a):null))}},{id:`only-area`,title:`Show only the ranks of the selected area`,group:`Order of ranks`,keys:[],when:e=>ba(e)&&e.store.state.area!==null&&e.store.state.area.row_from!==null,run:e=>{let{area:t,order:n}=e.store.state,r=nr(e.order?.ranks??null,e.run.ranks.count,t.row_from,t.row_until);r!==null&&ka(e,Y(n,`ranks`,r))}},{id:`all-ranks`,title:`Show all ranks`,group:`Order of ranks`,keys:[],when:e=>Xi(e.store.state.order,`ranks`)!==null,run:e=>ka(e,Y(e.store.state.order,`ranks`,null))}],ja=[{id:`find`,title:`Search calls`,group:`Select and filter`,keys:[{key:`/`}],run:e=>e.open(`find`)},{id:`clear`,title:`Take back: the area, then the selected call`,group:`Select and filter`,keys:[{code:`Escape`}],when:e=>e.store.state.area!==null||e.store.state.selection!==null,run:e=>e.store.set(e.store.state.area?{area:null}:{selection:null})},{id:`clear-filter`,title:`Take all filters away`,group:`Select and filter`,keys:[{code:`Escape`,shift:!0}],when:e=>Ct(e.store.state.filter)||e.store.state.hidden.length>0||e.store.state.skipped.length>0,run:e=>e.store.set({filter:St,hidden:[],skipped:[]})},{id:`filter-function`,title:`Only the function of the selected call`,group:`Select and filter`,keys:[{code:`KeyO`}],when:e=>e.detail!==null,run:e=>{e.store.set({filter:{...e.store.state.filter,functions:[e.detail.function_id]}})}},{id:`filter-rank`,title:`Only the rank of the selected call`,group:`Select and filter`,keys:[{code:`KeyO`,shift:!0}],when:e=>e.store.state.selection!==null,run:e=>e.store.set({filter:{...e.store.state.filter,ranks:String(e.store.state.selection.rank)}})},{id:`select-window`,title:`Select what is in sight as an area`,group:`Select and filter`,keys:[{code:`KeyX`}],when:e=>ba(e)&&e.run!==null,run:e=>{let{from:t,until:n,row_from:r,row_until:i}=e.window;e.store.set({area:{from:t,until:n,row_from:Math.floor(r),row_until:Math.ceil(i)}})}}],Ma=[{id:`overview`,title:`Overview`,group:`Page`,keys:[{code:`Digit1`}],run:e=>e.store.set({page:`overview`})},{id:`views`,title:`Timeline and views`,group:`Page`,keys:[{code:`Digit2`}],run:e=>e.store.set({page:`views`})},{id:`compare`,title:`Compare the two runs`,group:`Page`,keys:[{code:`Digit3`}],when:e=>e.comparison.isTwo,run:e=>e.store.set({page:`compare`})},{id:`other-run`,title:`Panes about the other run`,group:`Page`,keys:[{code:`KeyJ`}],when:e=>e.comparison.isTwo,run:e=>{e.comparison.show(+(e.side===0)),e.say(`Panes are about the run ${it[e.comparison.about]}.`)}},...[`init`,`start`].map(e=>({id:`align-${e}`,title:`Align both runs at ${e===`init`?`the end of MPI_Init`:`their start`}`,group:`Show`,keys:[],when:e=>e.comparison.isTwo,run:t=>t.comparison.store.set({align:{by:e}})})),{id:`align-iteration`,title:`Align both runs at the iteration in the middle of the view`,group:`Show`,keys:[],when:e=>e.comparison.isTwo&&e.comparison.apps.every(e=>e.run?.iterations),run:e=>{let t=(e.window.from+e.window.until)/2,{from_ns:n}=e.run.iterations,r=Math.max(0,n.findIndex((e,r)=>e<=t&&(n[r+1]??1/0)>t));e.comparison.store.set({align:{by:`iteration`,number:r}})}},{id:`align-selected`,title:`Align both runs at their selected calls`,group:`Show`,keys:[],when:e=>e.comparison.isTwo&&e.comparison.store.state.selection!==null&&e.comparison.store.state.other!==null,run:Zi},{id:`palette`,title:`Command palette`,group:`Page`,keys:[{code:`KeyP`,ctrl:!0,shift:!0},{code:`F1`}],run:e=>e.open(`palette`)},{id:`help`,title:`Keys and mouse`,group:`Page`,keys:[{key:`?`}],run:e=>e.open(`help`)},{id:`theme`,title:`Dark or light`,group:`Page`,keys:[{code:`KeyT`}],run:e=>e.setTheme(e.theme===`dark`?`light`:`dark`)},{id:`single-keys`,title:`Single-key shortcuts: on or off`,group:`Page`,keys:[],run:e=>e.setSingleKeys(!e.hasSingleKeys)},{id:`copy-link`,title:`Copy a link to this view`,group:`Page`,keys:[{code:`KeyY`}],run:e=>{e.store.flush(),navigator.clipboard?.writeText(window.location.href).then(()=>e.say(`The link is copied.`),()=>e.say(`The browser does not let the link be copied; it stands in the address bar.`))}},{id:`export`,title:`Export this view: a page for itself, as a file`,group:`Page`,keys:[{code:`KeyX`,shift:!0}],when:e=>!e.client.isExported&&e.run?.is_explained===!0,run:e=>void oa(e)},{id:`colouring`,title:`Colours by function or by class`,group:`Show`,keys:[{code:`KeyB`}],when:ba,run:e=>e.store.set({colouring:e.store.state.colouring===`class`?`function`:`class`})},{id:`scope`,title:`Panes: what is in sight, or the whole run`,group:`Show`,keys:[{code:`KeyU`}],when:ba,run:e=>e.store.set({scope:e.store.state.scope===`run`?`window`:`run`})},{id:`timeline-table`,title:`Timeline as a table, or as a picture`,group:`Show`,keys:[{code:`KeyV`}],when:ba,run:e=>Na(e,`timeline`)},{id:`reset`,title:`Everything as at the beginning`,group:`Page`,keys:[],run:e=>e.store.set({...P,page:e.store.state.page})}];function Na(e,t){let{twins:n}=e.store.state;e.store.set({twins:n.includes(t)?n.filter(e=>e!==t):[...n,t].sort()})}var Pa=[...ma,...ya,...ja,...Ta,...Aa,...Ea,...Ma],Fa=1e5,Ia=200;async function La(e,t){let n=t.at_ns;if(n===null)return;let r=e.rankOfWorld(t.rank),i=await e.client.calls({ranks:String(r),from:Math.max(0,n-Fa),until:n+Fa,limit:Ia}),a=-1,o=r=>{let a=i.start_ns[r],o=a+i.duration_ns[r];return(n<a?a-n:n>o?n-o:0)+(e.names?.function(i.function[r])===t.function?0:Fa)};for(let e=0;e<i.length;e++)(a<0||o(e)<o(a))&&(a=e);let[s,c]=a<0?[n,n]:[i.start_ns[a],i.start_ns[a]+i.duration_ns[a]],l=e.positions[r]??-1,u=Nt(e.whole,e.whole,s,c,l<0?null:l);e.store.set({page:`views`,finding:null,area:null,selection:a<0?null:{rank:r,row:i.row[a]},...Ft({...u,row_from:0,row_until:e.rows},e.whole)})}var Ra=8,za=6,Ba=class extends C{static{this.styles=[D,nt,rt,o`
      ol,
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      ol > li {
        padding: 10px 12px 12px;
        border-bottom: 1px solid var(--line);
      }
      ol > li:last-child {
        border-bottom: 0;
      }
      h3 b {
        color: var(--bad);
      }
      h3 b.possible {
        color: var(--warn);
      }
      ul {
        margin-top: 6px;
      }
      ul li {
        overflow-wrap: anywhere;
      }
      ul button {
        min-height: 24px;
        margin-right: 6px;
      }
    `]}constructor(){super(),this.isAll=!1,new F(this)}render(){let e=this.app.report?.checks;if(!e)return S;let t=e.findings.filter(e=>!e.suppressed).sort((e,t)=>Number(bn(t))-Number(bn(e))),n=this.isAll?t:t.slice(0,Ra);return x`<section aria-label="Checked">
      <h2>Checked <span class="muted">${A(e.processes)} ${e.processes===1?`process`:`processes`}</span></h2>
      ${e.events_lost?x`<p class="note">${A(e.events_lost)} events were not heard: what follows from their absence is not certain.</p>`:S}
      ${e.notes.map(e=>x`<p class="note">${e}</p>`)}
      ${t.length?x`<ol>${n.map(e=>this.#e(e))}</ol>`:x`<p class="note">Nothing is wrong.</p>`}
      ${t.length>n.length?x`<div class="more"><button class="line" @click=${()=>this.isAll=!0}>${t.length-n.length} more</button></div>`:S}
    </section>`}#e(e){let t=e.parties.length+e.more-za;return x`<li>
      <h3><b class=${bn(e)?``:`possible`}>${bn(e)?``:`possible `}${e.severity}</b> ${e.title}</h3>
      <p>${e.text}</p>
      <p class="advice"><span class="hidden-text">What to do: </span>${e.advice} <span class="muted">MPI-5.0 §${e.section}</span></p>
      <ul>${e.parties.slice(0,za).map(e=>this.#t(e))}</ul>
      ${t>0?x`<p class="muted">and ${A(t)} more calls</p>`:S}
      ${e.count>1?x`<p class="muted">${A(e.count)} times</p>`:S}
    </li>`}#t(e){let{app:t}=this,n=e.file?`${e.file.split(`/`).pop()}${e.line?`:${e.line}`:``}`:``,r=`rank ${e.rank}: ${e.function??`the process`}${e.role?`, ${e.role}`:``}`;return x`<li>
      ${e.at_ns===null?S:x`<button class="line" ?disabled=${t.run?.state!==`ready`} aria-label="Show in the timeline: ${r}" @click=${()=>void La(t,e)}>Show</button>`}${r}
      <span class="muted" title=${e.file??``}>${n}</span>
    </li>`}};q([T({attribute:!1})],Ba.prototype,`app`,void 0),q([E()],Ba.prototype,`isAll`,void 0),Ba=q([w(`mp-checks`)],Ba);var Va=.01;function Ha(e,t){let n=e.map((e,t)=>({finding:e,index:t})),r=new Set(e.filter(e=>e.caused_by===null).map(e=>e.id)),i=e=>e.caused_by===null||!r.has(e.caused_by),a=n.filter(({finding:e})=>i(e)),o=new Map([...a].reverse().map(({finding:e,index:t})=>[e.id,t])),s=a.map(e=>({...e,symptoms:o.get(e.finding.id)===e.index?n.filter(({finding:t})=>!i(t)&&t.caused_by===e.finding.id):[]})),c=({finding:{savable_ns:e}})=>e===null||e>=Va*t;return{roots:s.filter(c),moving:s.filter(e=>!c(e))}}function Ua(e,t){let{savable_ns:n,share:r,cost_ns:i,is_bound:a}=e;return n===null?{says:`costs`,share:M(r),also:[O(i)]}:{says:a?`saves at most`:`saves`,share:M(n/Math.max(1,t)),also:[`costs ${M(r)},`,O(i)]}}var Wa=8,Ga=class extends C{static{this.styles=[D,nt,rt,o`
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        padding: 10px 12px 12px;
        border-bottom: 1px solid var(--line);
        display: grid;
        grid-template-columns: 92px minmax(0, 1fr);
        gap: 2px 12px;
      }
      li:last-child {
        border-bottom: 0;
      }
      .cost > * {
        display: block;
      }
      .cost b {
        font-size: 16px;
        line-height: 1.2;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: 6px;
        margin-top: 7px;
        align-items: center;
      }
      .buttons button {
        min-height: 24px;
      }
      details {
        margin-top: 6px;
      }
      details.moving {
        padding: 8px 12px;
      }
      details ol {
        margin-top: 6px;
        border-left: 2px solid var(--line);
      }
      summary {
        cursor: pointer;
        overflow-wrap: anywhere;
      }
    `]}constructor(){super(),this.isAll=!1,new F(this)}render(){let e=this.app.report?.explanation;if(!e)return S;let{roots:t,moving:n}=Ha(e.findings,e.scope.rank_time_ns),r=this.isAll?t:t.slice(0,Wa);return x`<section aria-label="Findings">
      <h2>Findings <span class="muted">savings by replay; costs in rank time, they overlap</span></h2>
      ${t.length?x`<ol>${r.map(e=>this.#e(e))}</ol>`:x`<p class="note">${n.length?`No change of one thing alone saves a hundredth of the rank time.`:`Nothing costs more than a hundredth of the rank time.`}</p>`}
      ${t.length>r.length?x`<div class="more"><button class="line" @click=${()=>this.isAll=!0}>${t.length-r.length} more</button></div>`:S}
      ${this.#t(n,`moving`,`Changing one of these alone saves nothing (the time moves to the next call): `)}
    </section>`}#e({finding:e,index:t,symptoms:n}){let{app:r}=this,i=r.run?.state===`ready`,a=r.report.explanation.scope.rank_time_ns,{says:o,share:s,also:c}=Ua(e,a),l=e.cause_ranks.length?`caused by ${e.cause_ranks.length===1?`rank`:`ranks`} ${pt(e.cause_ranks)}`:``;return x`<li data-index=${t}>
      <div class="cost number"><span class="muted">${o}</span><b>${s}</b>${c.map(e=>x`<span class="muted">${e}</span>`)}</div>
      <div>
        <h3>${e.title}</h3>
        <p>${e.text}</p>
        ${e.advice?x`<p class="advice"><span class="hidden-text">What to try: </span>${e.advice}</p>`:S}
        ${e.alternatives.map(e=>x`<p class="advice">Or: ${e.advice} Saves ${M(e.savable_ns/Math.max(1,a))}.</p>`)}
        <div class="buttons">
          ${e.proof.length?x`<button class="line" ?disabled=${!i} @click=${()=>It(r,t,e.proof[0])}>
                Show in the timeline
              </button>`:S}
          <button class="line" ?disabled=${!i} @click=${()=>Lt(r,t,e)}>Show its calls</button>
          <span class="muted">${[l,e.confidence===`high`?``:`${e.confidence} confidence`].filter(Boolean).join(`; `)}</span>
        </div>
        ${this.#t(n.map(e=>({...e,symptoms:[]})),`symptoms`,`Causes: `)}
      </div>
    </li>`}#t(e,t,n){return e.length?x`<details class=${t}>
      <summary>${n}<span class="muted">${e.map(({finding:e})=>`${e.id} ${M(e.share)}`).join(`, `)}</span></summary>
      <ol>${e.map(e=>this.#e(e))}</ol>
    </details>`:S}};q([T({attribute:!1})],Ga.prototype,`app`,void 0),q([E()],Ga.prototype,`isAll`,void 0),Ga=q([w(`mp-findings`)],Ga);var Ka=class extends C{static{this.styles=[D,nt,o`
      .body {
        padding: 10px 12px;
        display: grid;
        gap: 12px;
      }
      .first {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .bad b {
        color: var(--bad);
      }
      svg.bar {
        display: block;
        width: 100%;
        height: 22px;
        border-radius: 4px;
      }
      .key {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 18px;
        margin-top: 6px;
      }
      .key span {
        display: inline-flex;
        gap: 6px;
        align-items: center;
      }
      .tree {
        display: grid;
        grid-template-columns: max-content minmax(80px, 1fr) max-content minmax(0, 2fr);
        gap: 3px 12px;
        align-items: center;
      }
      .tree .in1 {
        padding-left: 16px;
      }
      .tree .in2 {
        padding-left: 32px;
      }
      .tree svg {
        width: 100%;
        height: 9px;
        border-radius: 3px;
        display: block;
      }
      .tree .number {
        text-align: right;
      }
    `]}constructor(){super(),new F(this)}render(){let{app:e}=this,t=e.report?.explanation;return t?x`<section aria-label="Verdict">
      <h2>Verdict <span class="muted">shares of ${O(t.scope.rank_time_ns)} of rank time</span></h2>
      <div class="body">${this.#e(t)} ${this.#t(t)} ${this.#n(t)} ${this.#r(t)}</div>
    </section>`:e.reportError||e.run?.is_explained?S:x`<section aria-label="Verdict"><h2>Verdict</h2><div class="body muted" role="status">The run is being analysed …</div></section>`}#e({stuck:e,machine:t}){let n=t?.headline;return x`${e?x`<p class="first bad" role="alert"><b>${e.kind===`deadlock`?`Deadlock`:`Stuck`}:</b> ${e.text} <span class="muted">${e.advice}</span></p>`:S}
    ${n?x`<p class="first"><b>Machine:</b> ${n}</p>`:S}`}#t({time:e}){let{theme:t}=this.app,n=Math.max(1,e.computing_ns+e.waiting_ns+e.communicating_ns),r=[{name:`computing`,ns:e.computing_ns,colour:t===`light`?`#b9c2cf`:U(An.dark+2105376)},{name:`waiting for other ranks`,ns:e.waiting_ns,colour:U(W(`completion`,t)),isHatched:!0},{name:`in MPI otherwise`,ns:e.communicating_ns,colour:U(W(`send`,t))}],i=0,a=Te`<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="#000" fill-opacity=".45"></rect></pattern>`;return x`<div>
      <svg class="bar" viewBox="0 0 1000 22" preserveAspectRatio="none" role="img" aria-label=${r.map(e=>`${e.name} ${M(e.ns/n)}`).join(`, `)}>
        <defs>${a}</defs>
        ${r.map(e=>{let t=i,r=e.ns/n*1e3;return i+=r,Te`<rect x=${t} y="0" width=${r} height="22" fill=${e.colour}></rect>${e.isHatched?Te`<rect x=${t} y="0" width=${r} height="22" fill="url(#hatch)"></rect>`:S}`})}
      </svg>
      <div class="key">
        ${r.map(e=>x`<span
            ><svg width="11" height="11" aria-hidden="true"><rect width="11" height="11" rx="2" fill=${e.colour}></rect></svg>${e.name}
            <b class="number">${M(e.ns/n)}</b> <span class="muted number">${O(e.ns)}</span></span
          >`)}
      </div>
    </div>`}#n({efficiency:e}){if(!e)return S;let{theme:t}=this.app,n=(e,n,r,i)=>r===null?S:x`<span class=${e?`in${e}`:``}>${n}</span>
            <svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true">
              <rect width="100" height="9" fill=${U(An[t])}></rect>
              <rect width=${Math.max(0,Math.min(100,r*100))} height="9" fill=${U(W(r<.5?`barrier`:r<.8?`completion`:`receive`,t))}></rect>
            </svg>
            <b class="number">${M(r)}</b><span class="muted">${i}</span>`;return x`<div class="tree">
      ${n(0,`Parallel efficiency`,e.parallel,`load balance × communication`)}
      ${n(1,`Load balance`,e.load_balance,`mean of computing ÷ largest`)}
      ${n(1,`Communication`,e.communication,`serialisation × transfer`)}
      ${n(2,`Serialisation`,e.serialisation,`ranks that wait for each other`)}
      ${n(2,`Transfer`,e.transfer,`time in MPI that is no waiting`)}
    </div>`}#r(e){let t=[];return e.iterations&&t.push(`${A(e.iterations.count)} iterations of ${O(e.iterations.period_ns)}`),e.phases.length>1&&t.push(`${e.phases.length} phases`),e.grid&&t.push(e.grid.dims.length>1?`${e.grid.dims.join(` × `)} grid`:`${e.grid.dims[0]} ranks in a line`),e.pattern&&t.push(`pattern ${e.pattern.replace(/_/g,` `)}`),e.critical_path&&t.push(`critical path ${O(e.critical_path.length_ns)} with ${A(e.critical_path.jumps)} jumps between ranks`),t.length?x`<div><span class="muted">Structure:</span> ${t.join(`, `)}</div>`:S}};q([T({attribute:!1})],Ka.prototype,`app`,void 0),Ka=q([w(`mp-verdict`)],Ka);var qa=class extends C{static{this.styles=[D,et,o`
      .page {
        grid-template-columns: minmax(0, 1.7fr) minmax(300px, 1fr);
      }
      .strip {
        height: 210px;
      }
      dl {
        margin: 0;
        padding: 8px 12px;
        display: grid;
        grid-template-columns: max-content 1fr;
        gap: 3px 14px;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      tr:last-child td {
        border-bottom: 0;
      }
      ul {
        margin: 0;
        padding: 8px 12px 10px 28px;
      }
      li {
        margin: 2px 0;
      }
      .stack {
        display: grid;
        gap: 14px;
        align-content: start;
      }
      /* One that shows nothing takes no room either. */
      .stack > :is(mp-checks, mp-verdict, mp-findings) {
        display: contents;
      }
      .bad {
        color: var(--bad);
      }
      @media (max-width: 1100px) {
        .page {
          grid-template-columns: minmax(0, 1fr);
          padding: 10px;
        }
      }
    `]}constructor(){super(),new F(this)}render(){let{app:e}=this,t=e.run;if(!t)return x``;let n=e.report;return x`<div class="page">
      <section class="card wide" aria-label="The run at a glance">
        <h2>
          The run at a glance
          <button class="line" @click=${()=>e.store.set({page:`views`})}>Open the timeline</button>
        </h2>
        ${t.calls===0&&!t.files||e.rows===0&&!t.files?x`<p class="note">No MPI call was recorded in this run. <code>mpiscope doctor PROGRAM</code> says what would be recorded.</p>`:e.rows===0?x`<p class="note" role="status">Its rank files are being read …</p>`:x`<div class="strip"><mp-timeline .app=${e} .isStill=${!0}></mp-timeline></div>`}
        ${t.unreadable?x`<p class="note bad" role="alert">${t.unreadable}. What is explained here is the rest.</p>`:S}
      </section>
      <div class="stack">
        ${e.reportError?x`<section class="card">${I(e.reportError)}</section>`:S}
        <mp-checks .app=${e}></mp-checks>
        <mp-verdict .app=${e}></mp-verdict>
        <mp-findings .app=${e}></mp-findings>
      </div>
      <div class="stack">${this.#e(n)} ${this.#t()} ${this.#n(n)} ${this.#r(n)}</div>
    </div>`}#e(e){let t=this.app.run,n=e?.overview,r=(e,t)=>e?x`${t(e.mean)} <span class="muted">(${t(e.min.value)} rank ${e.min.rank} to ${t(e.max.value)} rank ${e.max.rank})</span>`:x`–`;return x`<section class="card" aria-label="The program">
      <h2>The program</h2>
      <dl>
        <dt>command</dt><dd class="mono">${t.command.join(` `)||`unknown`}</dd>
        <dt>MPI</dt><dd>${(t.mpi??`unknown`).split(`, package`)[0]}</dd>
        <dt>ranks</dt><dd class="number">${A(t.ranks.count)} on ${t.hosts.length===1?t.hosts[0]:`${A(t.hosts.length)} hosts`}</dd>
        ${n?.start_unix_ns?x`<dt>started</dt><dd class="number">${new Date(n.start_unix_ns/1e6).toISOString().replace(`T`,` `).slice(0,19)} UTC</dd>`:S}
        ${n?.wall_ns?x`<dt>wall time</dt><dd class="number">${r(n.wall_ns,O)}</dd>`:S}
        ${n?.mpi_share?x`<dt>in MPI</dt><dd class="number">${r(n.mpi_share,M)}</dd>`:S}
        ${n?.max_rss_bytes?x`<dt>memory</dt><dd class="number">${r(n.max_rss_bytes,k)}</dd>`:S}
        <dt>calls</dt><dd class="number">${A(t.calls)}${n?.calls_failed?x`, <span class="bad">${A(n.calls_failed)} failed</span>`:S}</dd>
      </dl>
    </section>`}#t(){let{app:e}=this,t=e.run,n=t.functions.reduce((e,t)=>e+t.time_ns,0),r=e.report?.overview.rank_time_ns??0,i=e=>/^MPI_(Init|Init_thread|Finalize|Session_init|Session_finalize)$/.test(e),a=e=>r>0&&!i(e.name)?M(e.time_ns/r):``,o=[...t.functions].sort((e,t)=>t.time_ns-e.time_ns).slice(0,10);return o.length?x`<section class="card" aria-label="Where the time in MPI goes">
      <h2>Where the time in MPI goes <span class="muted">${O(n)} in all ranks${r>0?x`; shares of ${O(r)} of rank time`:S}</span></h2>
      <table>
        <thead>
          <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
        </thead>
        <tbody>
          ${o.map(t=>x`<tr>
              <td>${gi(e,t.id)} ${t.name}</td>
              <td class="number">${A(t.calls)}</td>
              <td class="number">${O(t.time_ns)}</td>
              <td class="number">${a(t)}</td>
            </tr>`)}
        </tbody>
      </table>
      ${t.functions.length>o.length?x`<p class="note">and ${t.functions.length-o.length} more functions</p>`:S}
    </section>`:x``}#n(e){if(!e||e.overview.all_normal)return S;let t=e.ranks.filter(e=>e.fate.kind!==`finalized`||e.in_flight.length).slice(0,32);return t.length?x`<section class="card" aria-label="How ranks ended">
      <h2>How ranks ended</h2>
      <table>
        <thead><tr><th scope="col">Rank</th><th scope="col">End</th><th scope="col">Last in</th></tr></thead>
        <tbody>
          ${t.map(e=>x`<tr>
              <td class="number">${e.rank}</td>
              <td>${e.fate.signal_name??e.fate.kind.replace(/_/g,` `)}</td>
              <td>${e.in_flight.map(e=>x`<div>${e.call} <span class="muted">${e.site}</span></div>`)}</td>
            </tr>`)}
        </tbody>
      </table>
    </section>`:S}#r(e){let t=this.app.run,n=t.ranks.calls_lost.map((e,n)=>e-(t.ranks.calls_unreadable?.[n]??0)),r=n.reduce((e,t)=>e+t,0),i=n.filter(e=>e>0).length,a=[...new Set([...e?.diagnostics.map(e=>e.file?`${e.file}: ${e.text}`:e.text)??[],...e?.explanation?.caveats??[],...t.caveats])];return r>0&&a.unshift(`${A(r)} calls of ${A(i)} ${i===1?`rank`:`ranks`} are overwritten: counts and times of functions include them, the timeline begins after them. Record with a larger --buffer to keep them.`),t.is_writing&&a.unshift(`The program was still running when this run was opened.`),a.length?x`<section class="card" aria-label="What to keep in mind">
      <h2>What to keep in mind</h2>
      <ul>${a.map(e=>x`<li>${e}</li>`)}</ul>
    </section>`:S}};q([T({attribute:!1})],qa.prototype,`app`,void 0),qa=q([w(`mp-overview`)],qa);var Ja=class{#e;#t;#n;#r;constructor(e){this.#e=new Map(e.functions.map(e=>[e.id,e])),this.#t=new Map(e.communicators.map(e=>[e.id,e.name])),this.#n=new Map(e.sites.map(e=>[e.id,e.text])),this.#r=new Map(e.regions.map(e=>[e.id,e.name]))}function(e){return this.#e.get(e)?.name??`function ${e}`}short(e){return this.function(e).replace(/^MPI_/,``)}classOf(e){return this.#e.get(e)?.class??`local`}functionId(e){for(let[t,n]of this.#e)if(n.name===e)return t;return null}comm(e){return e===null||e<0?``:this.#t.get(e)??`communicator ${e}`}site(e){return e===null||e<0?``:this.#n.get(e)??``}region(e){return e===null||e<0?``:this.#r.get(e)??`region ${e}`}},Ya=500,Xa=class extends EventTarget{#e;#t;#n;constructor(e,t,n,r,i){super(),this.run=null,this.names=null,this.report=null,this.reportError=null,this.error=null,this.order=null,this.orderError=null,this.positions=new Int32Array,this.detail=null,this.detailError=null,this.launch=null,this.growth=0,this.begins=new Map,this.#e=new tr,this.#t=new tr,this.#n=new tr,this.client=e,this.store=t,this.desk=n,this.comparison=r,this.side=i,t.listen((e,t)=>{e.order!==t.order&&this.#c(),(e.selection?.rank!==t.selection?.rank||e.selection?.row!==t.selection?.row)&&this.#l(),this.changed()})}changed(){this.dispatchEvent(new Event(`change`))}get theme(){return this.desk.theme}get hasSingleKeys(){return this.desk.hasSingleKeys}get dialog(){return this.desk.dialog}get message(){return this.desk.message}say(e){this.desk.set({message:e})}fail(e){if(er(e))return;let t=K(e);this.say(`${t.message}. ${t.next}`)}setTheme(e){this.desk.set({theme:e})}setSingleKeys(e){this.desk.set({hasSingleKeys:e,message:e?`Single-key shortcuts are on.`:`Single-key shortcuts are off. The command palette (Ctrl+Shift+P) turns them on again.`})}open(e){this.desk.set({dialog:e})}async start(){try{this.#r(await this.client.run())}catch(e){this.error=K(e),this.changed();return}this.run?.files||this.#o(),this.#a(),(this.run?.state===`building`||this.run?.state===`ready`&&(!this.run.is_explained||this.run.is_writing))&&this.#i(),await this.#c(),this.#l()}#r(e){this.run=e,this.names=new Ja(e),this.comparison.isTwo||(document.title=`${e.name} – mpiscope`),this.order||this.#s(),this.changed()}async#i(){for(;;){await new Promise(e=>setTimeout(e,Ya));try{let e=this.run,t=await this.client.progress();if(e.files&&!t.files&&t.state!==`failed`?(this.#r({...await this.client.run(),...t}),t.is_explained||this.#o()):t.files&&t.files.read!==e.files?.read&&this.#r({...e,...t}),t.state===`building`){t.done!==e.done&&this.growth++,this.#r({...this.run,...t});continue}if((e.state===`building`||t.is_explained&&!e.is_explained)&&(this.#r(await this.client.run()),this.growth++),e.state===`building`&&t.state===`ready`&&(this.#c(),this.#l(),this.say(`The run is read.`)),t.state===`ready`&&(t.readings??0)!==(e.readings??0)&&(this.begins.clear(),this.#r(await this.client.run()),this.growth++,this.#c(),this.#l(),this.#o(),t.is_writing||this.say(`The program has ended: all of the run is there now.`)),(t.is_explained||t.state===`failed`)&&(e.is_writing===t.is_writing&&e.is_explained||this.#o(),!t.is_writing||t.state===`failed`))return}catch(e){this.error=K(e),this.changed();return}}}async#a(){try{this.launch=(await this.client.offers()).launch}catch{return}this.changed()}async#o(){try{let e=await this.client.report();if(e.error)throw new $n(500,e.error.what,e.error.next);this.report=e,this.reportError=null}catch(e){this.reportError=K(e)}this.changed()}needBegin(e){let{run:t,begins:n}=this;if(t?.state!==`ready`||n.has(e))return;n.set(e,null);let r=t.regions.find(t=>t.name===e);r&&this.client.begin(r.id).then(t=>{n.set(e,t),this.changed()},e=>this.fail(e))}#s(){let e=this.run?.ranks.count??0;this.order=null,this.positions=Int32Array.from({length:e},(e,t)=>t)}async#c(){let e=this.store.state.order;if(this.orderError=null,!e)this.#e.cancel(),this.#s(),this.changed();else{try{let t=await this.#e.run(t=>this.client.order(e,t));if(!t)return;this.order=t,this.positions=new Int32Array(this.run?.ranks.count??0).fill(-1),t.ranks.forEach((e,t)=>this.positions[e]=t)}catch(e){this.orderError=K(e),this.fail(e)}this.changed()}}async#l(){let e=this.store.state.selection;if(this.detailError=null,!e||this.run?.state!==`ready`)this.#t.cancel(),this.detail=null,this.changed();else{try{let t=await this.#t.run(t=>this.client.call(e,t));t&&(this.detail=t)}catch(e){this.detail=null,this.detailError=K(e)}this.changed()}}get rows(){return this.order?.ranks.length??this.run?.ranks.count??0}rankAt(e){return this.order?this.order.ranks[e]??-1:e}worldRank(e){return this.run?.ranks.world_rank[e]??e}rankOfWorld(e){let t=this.run?.ranks.world_rank.indexOf(e)??-1;return t>=0?t:e}get whole(){let e=Tt(this.run??{from_ns:0,until_ns:1},this.rows);return this.comparison.isTwo?this.comparison.wholeOf(this.side,e):e}get window(){return Et(this.store.state,this.whole)}get scope(){return or(this.store.state,this.window,this.order?.ranks??null,this.run?.ranks.count??0)}setWindow(e,t){let n=Ft(e,this.whole);t?this.store.move(n):this.store.set(n)}show(e,t=`centre`){let n=this.positions[e.rank]??-1,r=t===`fit`?Nt:Mt,{from:i,until:a}=this.window,o=t===`centre`&&e.start_ns>=i&&e.end_ns<=a,{row_from:s,row_until:c}=this.window,l=n<0||n>=s&&n+1<=c,u=o&&l?this.window:r(this.window,this.whole,e.start_ns,e.end_ns,n<0?null:n);this.store.set({page:`views`,selection:{rank:e.rank,row:e.row},...Ft(u,this.whole)})}select(e){this.store.set({selection:e})}async goTo(e,t){try{let n=await this.#n.run(e);if(n===void 0)return;n===null?this.say(t):(this.desk.set({message:``}),this.show(n))}catch(e){this.fail(e)}}};function Za(e){try{return localStorage.getItem(e)}catch{return null}}function Qa(e,t){try{localStorage.setItem(e,t)}catch{}}var $a=`mpiscope.theme`,eo=`mpiscope.single-keys`,to=class extends EventTarget{constructor(){super(),this.theme=no(),this.hasSingleKeys=Za(eo)!==`off`,this.dialog=null,this.message=``,document.documentElement.dataset.theme=this.theme}set(e){Object.assign(this,e),e.theme&&(document.documentElement.dataset.theme=e.theme,Qa($a,e.theme)),e.hasSingleKeys!==void 0&&Qa(eo,e.hasSingleKeys?`on`:`off`),this.dispatchEvent(new Event(`change`))}};function no(){let e=Za($a);return e===`light`||e===`dark`?e:matchMedia(`(prefers-color-scheme: dark)`).matches?`dark`:`light`}var ro=268435454,io=[`start`,`end`];function ao(e,t){return t>1?e.about:0}function oo(e,t){let n={},r=e=>e===null?null:e+t;if(e.from!==void 0&&(n.from=r(e.from)),e.until!==void 0&&(n.until=r(e.until)),e.area&&(n.area={...e.area,from:e.area.from+t,until:e.area.until+t}),e.scatter){let{x:t,y:i,x_min:a,x_max:o,y_min:s,y_max:c}=e.scatter;n.scatter={...e.scatter},io.includes(t)&&Object.assign(n.scatter,{x_min:r(a),x_max:r(o)}),io.includes(i)&&Object.assign(n.scatter,{y_min:r(s),y_max:r(c)})}return n}function so(e,t){let n=(e,t)=>e===null?null:t(e),r={...e.filter,comm:n(e.filter.comm,t.comm),site:n(e.filter.site,t.site),region:n(e.filter.region,t.region),host:n(e.filter.host,t.host)},i=/^comm:(\d+)$/.exec(Xi(e.order,`group`)??``),a=i?t.comm(Number(i[1])):null;return{filter:r,order:a===null?e.order:Y(e.order,`group`,a===268435454?null:`comm:${a}`),matrix:{...e.matrix,comm:n(e.matrix.comm,t.comm)}}}function co(e,t){let{row_from:n,row_until:r}=e;return n===null||r===null||r<=t?{}:{row_from:t-Math.min(r-n,t),row_until:t}}var lo=class{#e;#t;#n;#r=new Set;#i=null;#a;constructor(e,t,n){this.#e=e,this.#t=t,this.#n=n,this.#a=this.state,e.listen(()=>this.refresh())}get state(){let e=this.#e.state,{version:t}=this.#t;return(this.#i?.base!==e||this.#i.version!==t)&&(this.#i={base:e,version:t,state:this.#o(e)}),this.#i.state}refresh(){let e=this.#a;this.#a=this.state;for(let t of[...this.#r])t(this.#a,e)}listen(e){return this.#r.add(e),()=>this.#r.delete(e)}set(e){this.#e.set(this.#s(e))}move(e){this.#e.move(this.#s(e))}correct(e){this.#e.correct(this.#s(e))}flush(){this.#e.flush()}#o(e){let t=this.#t;if(t.count<2)return e;let n=this.#n,r=ao(e,t.count),i={...e,...oo(e,t.shift(n))};n===1&&(i={...i,selection:e.other,other:e.selection}),r!==n&&(i={...i,...so(e,t.ids(r,n)),finding:null});let a=t.rows(n);return a===null?i:{...i,...co(i,a)}}#s(e){let t=this.#t;if(t.count<2)return e;let n=this.#n,r={...e,...oo(e,-t.shift(n))};n===1&&(delete r.selection,delete r.other,`selection`in e&&(r.other=e.selection??null),`other`in e&&(r.selection=e.other??null));let i=ao(this.#e.state,t.count);return!(e.selection||e.filter!==void 0||e.order!==void 0||e.matrix!==void 0||(e.finding??null)!==null)||i===n||`about`in e?r:{...uo(this.#e.state,t,n),...r,about:n}}};function uo(e,t,n){let r=ao(e,t.count);if(r===n)return{about:n};let{filter:i,order:a,matrix:o}=so(e,t.ids(r,n));for(let e of[`comm`,`site`,`region`,`host`])i[e]===268435454&&(i[e]=null);return{about:n,filter:i,order:a,matrix:o.comm===268435454?{...o,comm:null}:o,finding:null}}var fo=class extends EventTarget{#e;#t;#n;#r;constructor(e,t){super(),this.desk=new to,this.apps=[],this.error=null,this.version=0,this.#t=[],this.#n=0,this.isAligned=!0,this.#r=``,this.#e=e,this.store=t,this.#i(0),this.desk.addEventListener(`change`,()=>this.#a()),t.listen((e,t)=>{e.align!==t.align&&this.#o()})}get count(){return this.apps.length}get isTwo(){return this.apps.length>1}get about(){return ao(this.store.state,this.count)}get app(){return this.apps[this.about]}async start(){let e=this.apps[0].start();try{let{runs:e}=await this.apps[0].client.runs();if(e.length>1){let e=this.#i(1);this.#o(),e.start()}}catch(e){this.error=K(e)}await e}#i(e){let t=new lo(this.store,this,e),n=new Xa(new Zn(this.#e,e===0?``:`${e}/`),t,this.desk,this,e);return this.#t.push(t),this.apps.push(n),n.addEventListener(`change`,()=>{this.#o(),this.dispatchEvent(new Event(`change`))}),n}#a(){for(let e of this.apps)e.changed()}shift(e){return e===1?this.#n:0}rows(e){let t=this.apps[e];return t?.run&&this.isTwo?t.rows:null}#o(){if(!this.isTwo)return;let[e,t]=this.apps.map(e=>e.run),{align:n}=this.store.state;if(n.by===`region`)for(let e of this.apps)e.needBegin(n.name);let[r,i]=this.apps.map(e=>e.run&&{run:e.run,begins:e.begins}),a=r&&i?yt(n,r,i):0;this.isAligned=a!==null;let o=a??(r&&i?yt({by:`init`},r,i)??0:0),s=e=>e&&[e.id,e.state,e.until_ns,e.sites.length,e.regions.length,e.communicators.length],c=JSON.stringify([o,a===null,this.apps.map(e=>e.rows),s(e),s(t)]);if(c!==this.#r){this.#r=c,this.#n=o,this.version++;for(let e of this.#t)e.refresh();e&&t&&(document.title=`${e.name} and ${t.name} – mpiscope`),this.#a()}}ids(e,t){let[n,r]=[this.apps[e]?.run,this.apps[t]?.run],i=(e,t,i)=>a=>{if(!n||!r)return ro;let o=e(n).find((e,t)=>i(e,t)===a);if(o===void 0)return ro;let s=e(r).findIndex(e=>t(e)===t(o));return s<0?ro:i(e(r)[s],s)};return{comm:i(e=>e.communicators,e=>e.name,e=>e.id),site:i(e=>e.sites,e=>e.text,e=>e.id),region:i(e=>e.regions,e=>e.name,e=>e.id),host:i(e=>e.hosts,e=>e,(e,t)=>t)}}wholeOf(e,t){let[n,r]=this.apps.map(e=>e.run);if(!n||!r)return t;let i=this.#n,a=Math.min(n.from_ns,r.from_ns-i)+this.shift(e),o=Math.max(n.until_ns,r.until_ns-i)+this.shift(e);return{...t,from:a,until:Math.max(o,t.until)}}show(e){this.store.set(uo(this.store.state,this,e))}get hasGroups(){return this.apps.some(e=>!!e.order?.groups.length)}},po=e=>e<0||e===4294967295;function mo(e){let t=Gn(e),n=Object.fromEntries(t.columns);return{head:t.head,table:n,length:Object.values(n)[0]?.length??0}}function ho(e,t){return Object.fromEntries(Object.entries(e).map(([e,n])=>{let r=new n.constructor(t.length);return t.forEach((e,t)=>r[t]=n[e]),[e,r]}))}function go(e){if(!e)return null;let t=e.split(`,`).map(e=>e.split(`-`).map(Number));return e=>t.some(([t,n])=>e>=t&&e<=(n??t))}var _o=class{#e;#t=new Map;#n;constructor(e){this.#e=e,this.run=e.run;let{table:t,length:n}=mo(e.buffer(`calls`)),r=e.buffer(`details`);this.#n=r&&mo(r),this.calls=t,this.length=n;for(let e=0;e<n;e++){let n=t.rank[e],r=this.#t.get(n);r?r.push(e):this.#t.set(n,[e])}for(let e of this.#t.values())e.sort((e,n)=>t.row[e]-t.row[n])}end(e){return this.calls.start_ns[e]+this.calls.duration_ns[e]}bytes(e){return this.calls.bytes_sent[e]+this.calls.bytes_received[e]}iteration(e){let{iterations:t}=this.run;if(!t)return null;let n=0,r=t.from_ns.length;for(;n<r;){let i=n+r>>1;t.from_ns[i]<=e?n=i+1:r=i}return n>0&&e<t.until_ns[n-1]?n-1:null}wanted(e){let t=this.calls,n=go(e.ranks),r=e.functions?.length?new Set(e.functions):null,{ranks:i}=this.run,a=e.iteration??null,[o,s]=a===null?[e.from??-1/0,e.until??1/0]:[Math.max(e.from??-1/0,this.run.iterations?.from_ns[a]??1/0),Math.min(e.until??1/0,this.run.iterations?.until_ns[a]??-1/0)],c=(e,t)=>e==null||e===t,l=[];for(let a=0;a<this.length;a++){let u=t.rank[a];if(t.start_ns[a]>=s||this.end(a)<o||e.row_from!==void 0&&u<Math.floor(e.row_from)||e.row_until!==void 0&&u>=Math.ceil(e.row_until)||n&&!n(u)||r&&!r.has(t.function[a])||!c(e.comm,t.comm[a])||!c(e.site,t.site[a])||!c(e.region,t.region[a])||!c(e.thread,t.thread[a])||!c(e.peer,t.peer[a])||!c(e.tag,t.tag[a])||!c(e.host,i.host[u])||this.bytes(a)<(e.bytes_min??0)||this.bytes(a)>(e.bytes_max??1/0))continue;let d=t.duration_ns[a];d<(e.duration_min??0)||d>(e.duration_max??1/0)||l.push(a)}return l}at(e,t){return this.#t.get(e)?.find(e=>this.calls.row[e]===t)??null}span(e){return{rank:this.calls.rank[e],row:this.calls.row[e],start_ns:this.calls.start_ns[e],end_ns:this.end(e)}}#r(e,t){let n=this.#t.get(this.calls.rank[e]),r=n[n.indexOf(e)+t];return r===void 0?null:this.span(r)}#i(){let e=this.#e.buffer(`messages`);return e&&mo(e)}#a(){let e=this.#e.buffer(`collectives`);return e&&mo(e)}#o(e,t){let n=this.#a();if(!n)return null;let{table:r}=n,i=r.member_offset;for(let n=0;n+1<i.length;n++)for(let a=i[n];a<i[n+1];a++)if(r.rank[a]===e&&r.row[a]===t)return{operation:n,from:i[n],until:i[n+1],table:r};return null}detail(e){let{run:t,calls:n}=this,r=this.span(e),{rank:i,row:a}=r,o=(e,t)=>po(e)?void 0:t.find(t=>t.id===e),s=t.functions.find(t=>t.id===n.function[e]),c=o(n.comm[e],t.communicators),l=o(n.region[e],t.regions),u=o(n.site[e],t.sites)?.text??``,d=[],f=this.#i();for(let e=0;f&&e<f.length;e++){let t=f.table,n={bytes:t.bytes[e],tag:t.tag[e],sent_ns:t.sent_ns[e],received_ns:t.received_ns[e]};t.sender[e]===i&&t.send_row[e]===a&&d.push({direction:`sent`,rank:t.receiver[e],row:t.receive_row[e],...n}),t.receiver[e]===i&&t.receive_row[e]===a&&d.push({direction:`received`,rank:t.sender[e],row:t.send_row[e],...n})}let p=this.#o(i,a),m=null;if(p){let e=Array.from(p.table.start_ns.subarray(p.from,p.until)),n=e.indexOf(Math.max(...e)),r=t.communicators.find(e=>e.id===p.table.comm[p.operation]),i=p.until-p.from;m={operation:p.table.operation[p.operation],number:p.table.operation[p.operation],comm:r?.name??``,members:i,missing:Math.max(0,(r?.size??i)-i),first_start_ns:Math.min(...e),last_start_ns:Math.max(...e),last_rank:p.table.rank[p.from+n]}}let h=[],g=this.#e.buffer(`waits`);if(g){let{head:e,table:t,length:n}=mo(g),r=e.kinds;for(let e=0;e<n;e++)t.rank[e]===i&&t.row[e]===a&&h.push({kind:r[t.kind[e]]??``,start_ns:t.start_ns[e],end_ns:t.end_ns[e],cause:t.cause_rank[e]<0||t.cause_row[e]<0?null:{rank:t.cause_rank[e],row:t.cause_row[e]}})}let _=n.flags[e];return{...r,world_rank:t.ranks.world_rank[i]??i,host:t.hosts[t.ranks.host[i]??-1]??``,thread:n.thread[e],function:s?.name??``,function_id:n.function[e],class:s?.class??`local`,duration_ns:n.duration_ns[e],count:n.count[e],comm:c?.name??null,peer:po(n.peer[e])?null:n.peer[e],tag:po(n.peer[e])?null:n.tag[e],root:po(this.#n?.table.root[e]??-1)?null:this.#n.table.root[e],bytes_sent:n.bytes_sent[e],bytes_received:n.bytes_received[e],elements:this.#n?.table.elements[e]??0,datatype:this.#n?.head.datatypes?.[this.#n.table.datatype[e]]||null,site:{text:u,frames:this.#n?.head.sites?.[String(n.site[e])]??(u?[u]:[])},region:l?.name??null,iteration:this.iteration(r.start_ns),is_poll:!!(_&1),is_failed:!!(_&2),is_nested:!!(_&4),messages:d,collective:m,waits:h,near:{previous:this.#r(e,-1),next:this.#r(e,1)}}}step(e,t,n,r){let{calls:i}=this,a=n===`next`?1:-1,{rank:o,row:s}=this.span(e);if(t===`rank`)return this.#r(e,a);if(t===`message`){let t=this.detail(e).messages[0],n=t&&this.at(t.rank,t.row);return n==null?null:this.span(n)}if(t===`collective`){let e=this.#o(o,s);if(!e)return null;let t=Array.from({length:e.until-e.from},(t,n)=>e.from+n).sort((t,n)=>e.table.rank[t]-e.table.rank[n]),n=t[(t.findIndex(t=>e.table.rank[t]===o&&e.table.row[t]===s)+a+t.length)%t.length];return{rank:e.table.rank[n],row:e.table.row[n],start_ns:e.table.start_ns[n],end_ns:e.table.end_ns[n]}}let c=new Set(r.functions??[]),l={function:t=>i.function[t]===i.function[e],functions:e=>c.has(i.function[e]),comm:t=>i.comm[t]===i.comm[e],site:t=>i.site[t]===i.site[e],longer:e=>i.duration_ns[e]>(r.than_ns??0)},u=this.#t.get(o);for(let n=u.indexOf(e)+a;n>=0&&n<u.length;n+=a)if(l[t]?.(u[n]))return this.span(u[n]);return null}find(e,t,n){let{run:r,calls:i}=this,a=e.toLowerCase(),o=(e,t)=>new Set(e.filter(e=>t(e).toLowerCase().includes(a)).map(e=>e.id)),s=o(r.functions,e=>e.name),c=o(r.sites,e=>e.text),l=o(r.regions,e=>e.name),u=o(r.communicators,e=>e.name),d=null;for(let e of this.wanted(n))(s.has(i.function[e])||c.has(i.site[e])||l.has(i.region[e])||u.has(i.comm[e]))&&(t===`next`?i.start_ns[e]>=(n.from??0):this.end(e)<=(n.until??1/0))&&(d===null||(t===`next`?i.start_ns[e]<i.start_ns[d]:i.start_ns[e]>i.start_ns[d]))&&(d=e);return d===null?null:this.span(d)}};function vo(e){let t=Gn(e),n=G(t,`entries`),r=new Uint32Array(n.length+1);for(let e=0;e<n.length;e++)r[e+1]=r[e]+n[e];return{head:t.head,offset:r,function:G(t,`function`),share:G(t,`share`),calls:G(t,`calls`),longest_ns:t.columns.get(`longest_ns`)??null}}function yo(e){let t=new Map;for(let n of e.names){let r=/^cells\/(\w+)\/(\d+)$/.exec(n);if(!r)continue;let i=t.get(r[1])??[];i[Number(r[2])]=vo(e.buffer(n)),t.set(r[1],i)}return[...t.values()].map(e=>{let{bin_ns:t,rows_per_block:n,rows:r}=e[0].head;return{bin_ns:t,rows_per_block:n,rows:r,is_exact:e.every(e=>e.head.is_exact),chunks:e}})}function bo(e,t){let n=Math.max(1,(t.until-t.from)/t.columns*2),r=Math.max(1,(t.row_until-t.row_from)/t.rows),i=(e,t)=>{let n=Math.log2(e/t);return n>0?n:-n/8},a=e=>i(e.bin_ns,n)+i(e.rows_per_block,r);return e.reduce((e,t)=>a(t)<a(e)?t:e)}function xo(e,t){let n=bo(e,t),{bin_ns:r,rows_per_block:i}=n,a=n.chunks[0].head.columns_count,o=n.chunks.length*a,s=Math.max(0,Math.min(o-1,Math.floor(Math.max(0,t.from)/r))),c=Math.max(s+1,Math.min(o,Math.ceil(t.until/r))),l=Math.max(0,Math.min(n.rows-1,Math.floor(t.row_from/i))),u=Math.max(l+1,Math.min(n.rows,Math.ceil(t.row_until/i))),d=t.functions?.length?new Set([...t.functions,_n]):null,f=(u-l)*(c-s),p=new Uint32Array(f+1),m=new Uint32Array(f),h=new Float32Array(f),g=[],_=[],v=0,y=0;for(let e=l;e<u;e++)for(let t=s;t<c;t++){let r=n.chunks[Math.floor(t/a)],i=e*a+t%a;for(let e=r.offset[i];e<r.offset[i+1];e++){let t=r.function[e];(!d||d.has(t))&&(g.push(t),_.push(r.share[e]*257))}m[v]=r.calls[i],y+=m[v],r.longest_ns&&!d&&(h[v]=r.longest_ns[i]),p[++v]=g.length}return qn({kind:`cells`,bin_ns:r,from_ns:s*r,columns_count:c-s,row_from:l*i,rows_per_block:i,rows:u-l,is_exact:n.is_exact&&r<=Math.max(1,(t.until-t.from)/t.columns*2),calls_total:y},{offset:p,function:Uint16Array.from(g),share:Uint16Array.from(_),calls:m,longest_ns:h,longest_rank:new Int32Array(f).fill(-1),longest_row:new Float64Array(f)})}var So=class{#e=new Map;#t=null;constructor(e){let t=new DataView(e.buffer,e.byteOffset).getUint32(0,!0),n=JSON.parse(new TextDecoder().decode(e.subarray(4,4+t))),r=4+t;for(let[t,i]of n)this.#e.set(t,e.subarray(r,r+i)),r+=i;if(this.about=this.json(`about`),this.about?.schema!==`mpiscope.pack/1`)throw Error(`the page has a pack of another kind: ${this.about?.schema}`)}get names(){return[...this.#e.keys()]}has(e){return this.#e.has(e)}json(e){let t=this.#e.get(e);return t?JSON.parse(new TextDecoder().decode(t)):null}buffer(e){let t=this.#e.get(e);return t?t.slice().buffer:null}get run(){return this.#t??=Xn(this.json(`run`)),this.#t}get report(){return this.json(`report`)}};async function Co(e){let t=atob(e.trim()),n=new Uint8Array(t.length);for(let e=0;e<t.length;e++)n[e]=t.charCodeAt(e);let r=new Blob([n]).stream().pipeThrough(new DecompressionStream(`deflate-raw`));return new So(new Uint8Array(await new Response(r).arrayBuffer()))}function wo(e,t,n){let{calls:r,run:i}=e,a=e=>e<0||e===4294967295?null:e,o=n=>t.has(r.function[n])||e.bytes(n)>0?e.bytes(n):null,s=new Map(i.functions.map(e=>[e.id,i.classes.findIndex(t=>t.id===e.class)]));return{start:e=>r.start_ns[e],end:t=>e.end(t),duration:e=>r.duration_ns[e],bytes:o,bandwidth:t=>e.bytes(t)>0&&r.duration_ns[t]>0?e.bytes(t)/r.duration_ns[t]:null,peer:e=>a(r.peer[e]),rank:e=>r.rank[e],host:e=>i.ranks.host[r.rank[e]]??null,thread:e=>r.thread[e],tag:e=>a(r.peer[e])===null?null:r.tag[e],comm:e=>a(r.comm[e]),function:e=>r.function[e],class:e=>s.get(r.function[e])??null,site:e=>a(r.site[e]),region:e=>a(r.region[e]),iteration:t=>e.iteration(r.start_ns[t]),size_bin:e=>{let t=o(e);return t===null?null:t<1?0:Math.min(31,Math.floor(Math.log2(t))+1)},row:e=>r.row[e]}[n]??(()=>null)}function To(e,t,n){let{run:r}=e,i=(e,t)=>{let r=e.find(e=>e.id===n);return r?t(r):``};switch(t){case`function`:return i(r.functions,e=>e.name);case`class`:return r.classes[n]?.name??``;case`comm`:return i(r.communicators,e=>e.name);case`site`:return i(r.sites,e=>e.text)||`unknown`;case`region`:return i(r.regions,e=>e.name);case`host`:return r.hosts[n]??``;case`size_bin`:return n===0?`0 B`:n===1?`1 B`:`${2**(n-1)}–${2**n-1} B`;default:return String(n)}}var Eo={count:e=>e.count,total_ns:e=>e.total_ns,mean_ns:e=>e.mean_ns,max_ns:e=>e.max_ns,bytes:e=>e.bytes};function Do(e,t,n,r,i,a,o,s){let c=r.map(n=>wo(e,t,n)),l=new Map;for(let e of n){let t=c.map(t=>t(e)),n=t.join(),r=l.get(n);r?r.places.push(e):l.set(n,{ids:t,places:[e]})}let{calls:u}=e,d=[...l.values()].map(({ids:t,places:n})=>{let[i,a,c,l,d]=[0,0,0,0,0],f=[];for(let t of n){let n=Math.max(1,u.count[t]),r=u.duration_ns[t];i+=n,a+=r,c+=n*(r/n)**2,l+=e.bytes(t)*n,u.flags[t]&4||(d+=Math.max(0,Math.min(e.end(t),o.until)-Math.max(u.start_ns[t],o.from))),f.push([r/n,n])}f.sort((e,t)=>e[0]-t[0]);let p=e=>{let t=0;for(let[n,r]of f)if((t+=r)>=e*i)return n;return f[f.length-1][0]},m=a/i;return{key:t.map((t,n)=>t===null?{id:null,text:`none`}:{id:t,text:To(e,r[n],t)}),count:i,total_ns:a,mean_ns:m,median_ns:p(.5),min_ns:f[0][0],max_ns:f[f.length-1][0],p95_ns:p(.95),p99_ns:p(.99),sd_ns:Math.sqrt(Math.max(0,c/i-m**2)),share:d/Math.max(1,s),bytes:l}}),f=Eo[i]??Eo.total_ns;return d.sort((e,t)=>f(t)-f(e)),{basis:{kind:`calls`},by:r,rows:d.slice(0,a),total:d.length,is_cut:d.length>a}}function Oo(e,t,n,r,i){let a=n?e.filter(e=>e>0):e,o=a.reduce((e,t)=>Math.min(e,t),1/0),s=a.reduce((e,t)=>Math.max(e,t),-1/0),c=(e,t)=>Number.isFinite(e)?e:t,l=c(r??o,0);n&&l<=0&&(l=c(o,1));let u=c(i??s,1);return{field:t,min:l,max:u>l?u:l+1,is_log:n}}function ko(e,t,n,r){let i=wo(e,t,r.field),a=n.map(e=>[i(e),e]).filter(e=>e[0]!==null),o=Oo(a.map(([e])=>e),r.field,r.is_log,r.min,r.max),s=e=>o.is_log?Math.log(e/o.min)/Math.log(o.max/o.min):(e-o.min)/(o.max-o.min),c=Array.from({length:r.bins+1},(e,t)=>o.is_log?o.min*(o.max/o.min)**(t/r.bins):o.min+t/r.bins*(o.max-o.min)),l=Array(r.bins).fill(0),u=Array(r.bins).fill(0),d=0;for(let[t,n]of a){if(t<o.min||t>o.max)continue;let i=Math.min(r.bins-1,Math.floor(s(t)*r.bins)),a=Math.max(1,e.calls.count[n]);l[i]+=a,u[i]+=e.calls.duration_ns[n],d+=a}return{basis:{kind:`calls`},field:r.field,min:o.min,max:o.max,is_log:o.is_log,edges:c,counts:l,time_ns:u,total:d}}function Ao(e,t,n,r){let[i,a]=[wo(e,t,r.x),wo(e,t,r.y)],o=n.map(e=>[i(e),a(e),e]).filter(e=>e[0]!==null&&e[1]!==null),s=Oo(o.map(e=>e[0]),r.x,r.x_log,r.x_min,r.x_max),c=Oo(o.map(e=>e[1]),r.y,r.y_log,r.y_min,r.y_max),l=(e,t)=>e>=t.min&&e<=t.max,u=o.filter(e=>l(e[0],s)&&l(e[1],c)),{calls:d}=e;return qn({kind:`scatter`,basis:{kind:`calls`},x_axis:s,y_axis:c,total:u.length,form:`points`,fit:null,width:r.width,height:r.height},{x:Float64Array.from(u,e=>e[0]),y:Float64Array.from(u,e=>e[1]),rank:Uint32Array.from(u,e=>d.rank[e[2]]),row:Float64Array.from(u,e=>d.row[e[2]]),function:Uint16Array.from(u,e=>d.function[e[2]])})}var jo=e=>({arrayBuffer:()=>Promise.resolve(e),json:()=>Promise.reject(Error(`this is a frame`))}),Q=e=>({json:()=>Promise.resolve(e),arrayBuffer:()=>Promise.reject(Error(`this is no frame`))}),Mo=[`ranks`,`functions`,`comm`,`site`,`region`,`peer`,`peers`,`tag`,`bytes_min`,`bytes_max`,`duration_min`,`duration_max`,`host`,`iteration`,`thread`,`row_from`,`row_until`],No=class{#e;constructor(e){this.isExported=!0,this.kept=null,this.#e=e.then(e=>{let{about:t}=e;return this.kept={from:t.from_ns,until:t.until_ns,bin_ns:t.bin_ns},{pack:e,levels:yo(e),kept:new _o(e),withData:new Set(t.functions_with_data)}}),this.#e.catch(()=>{})}async view(){return(await this.#e).pack.about.view}async ask(e,t,n){let r=await this.#e.catch(e=>{throw new $n(0,`this page cannot be read: ${e instanceof Error?e.message:String(e)}`,`It may have been cut off on its way: take a new copy, or export it again.`)});return n?.throwIfAborted(),this.#t(r,e,t)}async frame(e,t,n){return(await this.ask(e,t,n)).arrayBuffer()}#t(e,t,n){let{pack:r,levels:i,kept:a}=e;if(n.order)throw this.#l(e,`another order of ranks is`);switch(t){case`runs`:return Q({runs:[{name:r.run.name}]});case`run`:return Q(r.run);case`progress`:{let{state:e,done:t,is_explained:n,failure:i}=r.run;return Q({state:e,done:t,is_explained:n,failure:i,is_writing:!1})}case`report`:return Q(r.report);case`cells`:return jo(xo(i,n));case`path`:{let t=r.buffer(`path`);if(!t)throw this.#l(e,`the critical path is`);return jo(t)}case`calls`:return this.#a(e,n);case`messages`:case`waits`:case`regions`:case`collectives`:return this.#o(e,t,n);case`call`:{let{rank:t,row:r}=n;return Q(a.detail(this.#c(e,t,r)))}case`step`:{let{rank:t,row:r,by:i,direction:o,...s}=n;return Q(a.step(this.#c(e,t,r),i,o,s))}case`find`:{let{text:e,direction:t,...r}=n;return Q(a.find(e,t,r))}case`groups`:return this.#s(e,n);case`histogram`:{let t=n;if(t.of===`messages`)throw this.#l(e,`statistics of messages are`);let i=(t.min??null)===null&&(t.max??null)===null?this.#n(e,t,`histogram/${t.field}/${+!!t.is_log}`):null;return Q(i?r.json(i):ko(a,e.withData,this.#i(e,t),t))}case`scatter`:{let t=n;if(t.of===`messages`)throw this.#l(e,`statistics of messages are`);let i=[t.x_min,t.x_max,t.y_min,t.y_max].every(e=>(e??null)===null)?this.#n(e,t,`scatter/${t.x}/${t.y}/${+!!t.x_log}/${+!!t.y_log}`):null;return jo(i?r.buffer(i):Ao(a,e.withData,this.#i(e,t),t))}case`matrix`:{let t=n,i=this.#n(e,t,`matrix/${t.by}`);if(!i)throw this.#l(e,`the matrix of a part of the run is`);return jo(r.buffer(i))}default:throw this.#l(e,`'${t}' is`)}}#n({pack:e},t,n){return(t.from??null)===null&&(t.until??null)===null&&Mo.every(e=>(t[e]??null)===null)&&e.has(n)?n:null}#r({pack:e},t){let{run:n}=e,r=t.iteration??null;return{from:Math.max(t.from??n.from_ns,r===null?-1/0:n.iterations?.from_ns[r]??-1/0),until:Math.min(t.until??n.until_ns,r===null?1/0:n.iterations?.until_ns[r]??1/0)}}#i(e,t){let{about:n,run:r}=e.pack,{from:i,until:a}=this.#r(e,t);if(Math.max(i,r.from_ns)<n.from_ns||Math.min(a,r.until_ns)>n.until_ns)throw this.#l(e,`single calls of all this time are`);return e.kept.wanted(t)}#a(e,t){let n=this.#i(e,t),{kept:r}=e,i=n.length,a=r.calls;return i>t.limit&&(n.sort((e,t)=>a.duration_ns[t]-a.duration_ns[e]).length=t.limit),n.sort((e,t)=>a.rank[e]-a.rank[t]||a.start_ns[e]-a.start_ns[t]),jo(qn({kind:`calls`,total:i,is_cut:n.length<i},ho(a,n)))}#o(e,t,n){let r=e.pack.buffer(t);if(!r)throw this.#l(e,`${t} are`);let{head:i,table:a,length:o}=mo(r);if(t===`collectives`)return jo(r);let[s,c]=[n.from??-1/0,n.until??1/0],l=go(n.ranks),u=e=>e>=Math.floor(n.row_from??0)&&e<Math.ceil(n.row_until??1/0)&&(!l||l(e)),[d,f]=t===`messages`?[a.sent_ns,a.received_ns]:[a.start_ns,a.end_ns],p=[];for(let e=0;e<o;e++)d[e]>=c||f[e]<s||(t===`messages`?u(a.sender[e])||u(a.receiver[e]):u(a.rank[e]))&&p.push(e);let m=p.length,h=m>n.limit?p.slice(0,n.limit):p,{columns:g,..._}=i,v=h.length<m||i.is_cut===!0;return jo(qn({..._,total:v?Math.max(m,h.length+1):m,is_cut:v},ho(a,h)))}#s(e,t){let n=this.#n(e,t,`groups/${t.by}`);if(n)return Q(e.pack.json(n));let r=this.#i(e,t),{run:i}=e.pack,{from:a,until:o}=this.#r(e,t),s=go(t.ranks),c=Array.from({length:i.ranks.count},(e,t)=>t).filter(e=>(!s||s(e))&&(t.host??i.ranks.host[e])===i.ranks.host[e]).length;return Q(Do(e.kept,e.withData,r,t.by.split(`,`),t.sort??`total_ns`,t.limit,{from:a,until:o},(o-a)*c))}#c(e,t,n){let r=e.kept.at(t,n);if(r===null)throw this.#l(e,`this call is`);return r}#l({pack:e},t){return new $n(404,`${t} not in this exported page`,`Open the run with: mpiscope view ${e.run.name}`)}};function Po(e){let t=e.getElementById(`mpiscope-pack`)?.textContent;return t?new No(Co(t)):null}var Fo=class{#e=new Worker(new URL(new URL(`carrier.worker.js`,import.meta.url).href,``+import.meta.url),{type:`module`,name:`carrier`});#t=new Map;#n=0;constructor(){this.#e.onmessage=e=>{this.#t.get(e.data.id)?.(e.data),this.#t.delete(e.data.id)}}carry(e,t){let n=this.#n++;return new Promise((r,i)=>{let a=()=>{this.#t.delete(n),this.#e.postMessage({id:n,address:null}),i(new DOMException(`given up`,`AbortError`))};if(t?.aborted)return i(new DOMException(`given up`,`AbortError`));t?.addEventListener(`abort`,a,{once:!0}),this.#t.set(n,e=>{t?.removeEventListener(`abort`,a),r(e)}),this.#e.postMessage({id:n,address:e})})}};function Io(e){let t=[];for(let[n,r]of Object.entries(e).sort(([e],[t])=>e<t?-1:1)){if(r==null||r===``)continue;let e;if(Array.isArray(r)){if(r.length===0)continue;e=r.join(`,`)}else e=typeof r==`boolean`?r?`1`:`0`:String(r);t.push(`${n}=${encodeURIComponent(e)}`)}return t.length?`?${t.join(`&`)}`:``}var Lo=class{#e;#t;constructor(e){this.isExported=!1,this.kept=null,this.#t=null,this.#e=e.endsWith(`/`)?e:`${e}/`}async ask(e,t,n){let r;try{r=await fetch(`${this.#e}${e}${Io(t)}`,n?{signal:n}:{})}catch(e){throw er(e)?e:K(e)}if(r.ok)return r;throw Ro(r.status,r.statusText,await r.text().catch(()=>``))}async frame(e,t,n){let r=new URL(`${this.#e}${e}${Io(t)}`,document.baseURI).href;this.#t??=new Fo;let{status:i,text:a,body:o}=await this.#t.carry(r,n);if(!o)throw K(TypeError(`no answer`));if(i>=200&&i<300)return o;throw Ro(i,a,new TextDecoder().decode(o))}};function Ro(e,t,n){let r=zo(n);return new $n(e,r?.error?.what??`mpiscope answered ${e} ${t}`,r?.error?.next??"Start `mpiscope view` again and open the address it prints.")}function zo(e){try{return JSON.parse(e)}catch{return null}}function Bo(e){return Po(e)??new Lo(new URL(`./api/`,e.baseURI).pathname)}var Vo={hash:()=>window.location.hash,push:e=>window.history.pushState(null,``,`#${e}`),replace:e=>window.history.replaceState(null,``,`#${e}`)},Ho=class{#e;#t;#n=new Set;#r=null;constructor(e){this.#t=e,this.#e=aa(e.hash())}get state(){return this.#e}listen(e){return this.#n.add(e),()=>this.#n.delete(e)}set(e){this.flush(),this.#a({...this.#e,...e}),this.#i()}move(e){this.#r!==null&&clearTimeout(this.#r),this.#a({...this.#e,...e}),this.#r=setTimeout(()=>this.flush(),350)}correct(e){this.#a({...this.#e,...e}),this.#t.replace(ia(this.#e))}flush(){this.#r!==null&&(clearTimeout(this.#r),this.#r=null,this.#i())}restore(){this.#r!==null&&clearTimeout(this.#r),this.#r=null,this.#a(aa(this.#t.hash()))}#i(){let e=ia(this.#e);e!==this.#t.hash().replace(/^#/,``)&&this.#t.push(e)}#a(e){let t=this.#e;this.#e=e;for(let n of[...this.#n])n(e,t)}},Uo=class extends C{constructor(...e){super(...e),this.text=``}static{this.styles=[D,o`
      form {
        display: flex;
        gap: 6px;
        align-items: center;
        position: absolute;
        right: 16px;
        top: 4px;
        z-index: 5;
        padding: 6px 8px;
        background: var(--panel);
        border: 1px solid var(--line-strong);
        border-radius: 8px;
        box-shadow: var(--shadow);
      }
      input {
        width: 240px;
      }
    `]}firstUpdated(){this.renderRoot.querySelector(`input`)?.focus()}#e(e){let{app:t}=this,n=this.text.trim();if(!n||t.run?.state!==`ready`)return;let{detail:r}=t,i=t.store.state,a={...i.filter,functions:cr(i,t.run.functions)},o=e===`next`,s=i.selection&&r?r.start_ns:o?t.window.from:t.window.until;t.goTo(c=>t.client.find(n,e,o?{...a,from:s+(i.selection&&r?1:0)}:{...a,until:s},c),`No ${e} call has “${n}” in its function, call site, region or communicator.`)}render(){return x`<form
      role="search"
      @submit=${e=>{e.preventDefault(),this.#e(`next`)}}
      @keydown=${e=>{e.key===`Escape`?(e.preventDefault(),this.app.open(null)):e.key===`Enter`&&e.shiftKey&&(e.preventDefault(),this.#e(`previous`))}}
    >
      <input type="search" aria-label="Search calls" placeholder="function, call site, region …" .value=${this.text} @input=${e=>this.text=e.target.value} />
      <button class="line" type="button" @click=${()=>this.#e(`previous`)}>Previous</button>
      <button class="line" type="submit">Next</button>
      <button type="button" aria-label="Close the search" @click=${()=>this.app.open(null)}>✕</button>
    </form>`}};q([T({attribute:!1})],Uo.prototype,`app`,void 0),q([E()],Uo.prototype,`text`,void 0),Uo=q([w(`mp-find`)],Uo);var Wo=class extends C{static{this.styles=[D,o`
      dialog {
        background: var(--panel);
        color: var(--text);
        border: 1px solid var(--line-strong);
        border-radius: 10px;
        box-shadow: var(--shadow);
        padding: 0;
        width: min(620px, 92vw);
        max-height: 80vh;
        margin-top: 9vh;
        overflow: hidden;
      }
      dialog[open] {
        display: flex;
        flex-direction: column;
      }
      dialog::backdrop {
        background: rgb(10 14 20 / 40%);
      }
      .head {
        display: flex;
        align-items: center;
        gap: 10px;
        padding: 10px 14px;
        border-bottom: 1px solid var(--line);
      }
      .head h2 {
        font-size: 14px;
        flex: 1;
      }
      .scroll {
        overflow: auto;
        min-height: 0;
      }
    `]}firstUpdated(){let e=this.renderRoot.querySelector(`dialog`);e.addEventListener(`close`,()=>this.app.dialog&&this.app.open(null)),e.addEventListener(`click`,t=>t.target===e&&e.close()),e.showModal()}close(){this.renderRoot.querySelector(`dialog`)?.close()}};q([T({attribute:!1})],Wo.prototype,`app`,void 0);var Go=[[`Click`,`select the call; from afar, the longest call in that place`],[`Drag`,`select an area; a flat one is of all ranks in sight`],[`Drag with Shift, or the middle button, or on the axis`,`move`],[`Wheel`,`scroll ranks; with Shift: time`],[`Ctrl and wheel`,`zoom in time, where the pointer is`],[`Alt and wheel`,`taller or flatter ranks`],[`Double click`,`zoom in four times`],[`Click a rank's number`,`that rank over the time in sight as an area`]],Ko=class extends Wo{static{this.styles=[...Wo.styles,o`
      dialog {
        width: min(940px, 94vw);
      }
      .scroll {
        columns: 2 340px;
        column-gap: 24px;
        padding: 12px 16px;
      }
      section {
        break-inside: avoid;
        margin-bottom: 12px;
      }
      h3 {
        font-size: 12px;
        color: var(--muted);
        margin-bottom: 3px;
      }
      dl {
        margin: 0;
        display: grid;
        grid-template-columns: minmax(110px, max-content) 1fr;
        gap: 2px 12px;
        align-items: baseline;
        font-size: 12px;
      }
      dl.mouse {
        grid-template-columns: 2fr 3fr;
      }
      dd {
        margin: 0;
      }
    `]}render(){let e=[...new Set(Pa.map(e=>e.group))];return x`<dialog aria-label="Keys and mouse">
      <div class="head">
        <h2>Keys and mouse</h2>
        <button class="line" autofocus @click=${()=>this.close()}>Close</button>
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="List of keys">
        <section>
          <h3>Mouse, on the timeline</h3>
          <dl class="mouse">${Go.map(([e,t])=>x`<dt>${e}</dt><dd>${t}</dd>`)}</dl>
        </section>
        ${e.map(e=>x`<section>
            <h3>${e}</h3>
            <dl>
              ${Pa.filter(t=>t.group===e&&t.keys.length).map(e=>x`<dt>${e.keys.map((e,t)=>x`${t?` `:``}<kbd>${Ui(e)}</kbd>`)}</dt><dd>${e.title}</dd>`)}
            </dl>
          </section>`)}
        <p class="muted">
          Letters are places on the keyboard (W A S D as on an English one). Commands without a key are in the palette, Ctrl+Shift+P, which also turns single
          keys off.
        </p>
      </div>
    </dialog>`}};Ko=q([w(`mp-help`)],Ko);function qo(e,t){let n=t.toLowerCase().split(/\s+/).filter(Boolean),r=e.filter(e=>n.every(t=>`${e.title} ${e.group}`.toLowerCase().includes(t))),i=e=>+!e.title.toLowerCase().startsWith(t.toLowerCase().trim());return r.map((e,t)=>({c:e,i:t})).sort((e,t)=>i(e.c)-i(t.c)||e.i-t.i).map(({c:e})=>e)}var Jo=class extends Wo{constructor(...e){super(...e),this.text=``,this.active=0}static{this.styles=[...Wo.styles,o`
      input {
        width: 100%;
        min-height: 34px;
      }
      .option {
        display: flex;
        justify-content: space-between;
        gap: 12px;
        padding: 5px 14px;
        cursor: pointer;
      }
      .option[aria-selected="true"] {
        background: var(--accent-soft);
      }
      .option span:last-child {
        display: flex;
        gap: 4px;
      }
    `]}#e(){return qo(Pa.filter(e=>e.id!==`palette`&&(e.when?.(this.app)??!0)),this.text)}#t(e){e&&(this.close(),this.app.open(null),e.run(this.app))}#n(e){let t=this.#e();if(e.key===`ArrowDown`)this.active=Math.min(t.length-1,this.active+1);else if(e.key===`ArrowUp`)this.active=Math.max(0,this.active-1);else if(e.key===`Enter`)this.#t(t[this.active]);else return;e.preventDefault()}updated(){this.renderRoot.querySelector(`[aria-selected="true"]`)?.scrollIntoView({block:`nearest`})}render(){let e=this.#e();return x`<dialog aria-label="Command palette">
      <div class="head">
        <input
          autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="options"
          aria-activedescendant=${e.length?`option-${this.active}`:``}
          aria-label="Command"
          placeholder="what to do"
          .value=${this.text}
          @input=${e=>{this.text=e.target.value,this.active=0}}
          @keydown=${e=>this.#n(e)}
        />
      </div>
      <div class="scroll" id="options" role="listbox" aria-label="Commands" tabindex="-1">
        ${e.map((e,t)=>x`<div class="option" role="option" id="option-${t}" aria-selected=${t===this.active} @click=${()=>this.#t(e)}>
            <span>${e.title}</span><span aria-hidden="true">${e.keys.map(e=>x`<kbd>${Ui(e)}</kbd>`)}</span>
          </div>`)}
      </div>
      ${e.length?``:x`<p class="note" role="status">No such command.</p>`}
    </dialog>`}};q([E()],Jo.prototype,`text`,void 0),q([E()],Jo.prototype,`active`,void 0),Jo=q([w(`mp-palette`)],Jo);var Yo=40,Xo=class extends C{static{this.styles=[D,st,o`
      .bar {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 10px;
        align-items: center;
        padding: 3px 10px;
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      .set {
        display: inline-flex;
        border: 1px solid var(--line-strong);
        border-radius: 6px;
        overflow: hidden;
      }
      .set button {
        border-radius: 0;
        min-height: 24px;
        max-width: 300px;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .set button[aria-pressed="true"] {
        font-weight: 600;
      }
      .set button:focus-visible {
        outline-offset: -2px;
      }
      label {
        color: var(--muted);
        display: inline-flex;
        gap: 5px;
        align-items: center;
      }
      select,
      input {
        color: var(--text);
        min-height: 24px;
      }
      input {
        width: 80px;
      }
    `]}constructor(){super(),new F(this)}#e(e){let{store:t}=this.app.comparison,[n,r]=[e.split(`:`,1)[0],e.slice(e.indexOf(`:`)+1)];n===`start`||n===`init`?t.set({align:{by:n}}):n===`iteration`?this.#i(0):n===`phase`?this.#i(0,r):n===`region`?t.set({align:{by:n,name:r}}):Zi(this.app)}#t(){return this.#r(e=>e.run?.iterations?.phases?.map(({name:e})=>e)??[])}#n(){return this.#r(e=>e.run?.regions.map(({name:e})=>e)??[]).slice(0,Yo)}#r(e){let[t,n]=this.app.comparison.apps.map(e);return[...new Set(t)].filter(e=>n?.includes(e))}#i(e,t=null){let{store:n,apps:r}=this.app.comparison,{from:i,until:a}=n.state,o=r[0].run?.iterations?.from_ns[e],s=o!==void 0&&i!==null&&a!==null&&(o<i||o>a),c=s?Math.round((a-i)/10):0,l=t===null?{by:`iteration`,number:e}:{by:`phase`,number:e,name:t};n.set({align:l,...s?{from:o-c,until:o-c+(a-i)}:{}})}render(){let{app:e}=this,{comparison:t}=e;if(!t.isTwo)return S;let{align:n,page:r}=t.store.state,i=t.apps.every(e=>e.run?.iterations),a=Math.min(...t.apps.map(e=>e.run?.iterations?.from_ns.length??1))-1,o=`name`in n?`${n.by}:${n.name}`:n.by,s=(e,t,n=!0)=>x`<option value=${e} ?selected=${o===e} ?disabled=${!n&&o!==e}>${t}</option>`,[c,l]=[this.#t(),this.#n()],u=n.by===`iteration`||n.by===`phase`;return x`<div class="bar" role="region" aria-label="Runs">
      <span class="muted">${r===`overview`?`overview of`:`panes, legend and selected call of`}</span>
      <span class="set" role="group" aria-label="The run that the panes are about">
        ${t.apps.map(e=>x`<button aria-pressed=${e.side===t.about} @click=${()=>t.show(e.side)}>
            <span class="run-word side${e.side}">${it[e.side]}</span> ${e.run?.name??(e.error?`not there`:`…`)}
          </button>`)}
      </span>
      ${r===`views`?x`<label
              >aligned at
              <select aria-label="Both runs are aligned at" @change=${e=>this.#e(e.target.value)}>
                ${s(`init`,`the end of MPI_Init`)} ${s(`start`,`the start of each run`)} ${s(`iteration`,`an iteration`,i)}
                ${s(`at`,`the selected calls`,Zo(e))} ${c.map(e=>s(`phase:${e}`,`the phase ${e}`))}
                ${l.map(e=>s(`region:${e}`,`the begin of region ${e}`))}
                ${`name`in n&&!c.includes(n.name)&&!l.includes(n.name)?s(o,`${n.by} ${n.name}`):S}
              </select></label
            >
            ${u?x`<label
                  >${n.by===`phase`?`of iteration`:`number`}
                  <input
                    type="number"
                    min="0"
                    max=${Math.max(0,a)}
                    aria-label="Iteration that is aligned"
                    .value=${String(n.number)}
                    @change=${e=>{this.#i(Math.max(0,Math.floor(Number(e.target.value)||0)),n.by===`phase`?n.name:null)}}
                  /></label>`:S}
            ${t.isAligned?S:x`<span role="status">Not both runs have that: they are aligned at the end of MPI_Init.</span>`}
            <span class="muted number" title="A moment of the first run is below it in the second so much later">${this.#a()}</span>`:S}
    </div>`}#a(){let e=this.app.comparison.shift(1);return e===0?``:`after is moved by ${e<0?`+`:`−`}${O(Math.abs(e))}`}};q([T({attribute:!1})],Xo.prototype,`app`,void 0),Xo=q([w(`mp-runs-bar`)],Xo);function Zo(e){let{selection:t,other:n}=e.comparison.store.state;return t!==null&&n!==null}var Qo=5e3,$o=class extends C{static{this.styles=[D,$e,o`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      mp-vtable {
        flex: 1;
      }
    `]}#e=new hi(this);#t=``;constructor(){super(),new F(this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t={...e.scope,limit:Qo};this.#e.update([t,e.growth],n=>e.client.calls(t,n))}#n(e){let{selection:t}=this.app.store.state,n=this.#e.value;return!!n&&!!t&&n.rank[e]===t.rank&&n.row[e]===t.row}updated(){let{selection:e}=this.app.store.state,t=this.#e.value,n=`${e?.rank}:${e?.row}:${t?.length}`;if(e&&t&&n!==this.#t){this.#t=n;for(let e=0;e<t.length;e++)if(this.#n(e)){let t=this.renderRoot.querySelector(`mp-vtable`);t?.updateComplete.then(()=>t.reveal(e));return}}}render(){let{app:e}=this,t=this.#e.value,n=t?[{id:`rank`,title:`Rank`,isNumber:!0,width:`60px`,cell:n=>String(e.worldRank(t.rank[n]))},{id:`start`,title:`Start`,isNumber:!0,width:`minmax(140px, 1.4fr)`,cell:e=>N(t.start_ns[e],1)},{id:`duration`,title:`Duration`,isNumber:!0,cell:e=>O(t.duration_ns[e])},{id:`function`,title:`Function`,width:`minmax(130px, 2fr)`,cell:n=>e.names?.function(t.function[n])??``},{id:`peer`,title:`Peer`,isNumber:!0,width:`60px`,cell:n=>t.peer[n]>=0?String(e.worldRank(t.peer[n])):``},{id:`tag`,title:`Tag`,isNumber:!0,width:`70px`,cell:e=>t.peer[e]>=0?String(t.tag[e]):``},{id:`sent`,title:`Sent`,isNumber:!0,cell:e=>t.bytes_sent[e]?k(t.bytes_sent[e]):``},{id:`received`,title:`Received`,isNumber:!0,cell:e=>t.bytes_received[e]?k(t.bytes_received[e]):``},{id:`comm`,title:`Communicator`,cell:n=>e.names?.comm(t.comm[n])??``},{id:`site`,title:`Called from`,width:`minmax(180px, 3fr)`,cell:n=>e.names?.site(t.site[n])??``}]:[];return x`<div class="controls">
        <span class="muted">${t?t.head.is_cut?`the longest ${A(t.length)} of about ${j(t.head.total)} calls: zoom in or filter for all`:`${A(t.length)} calls`:`…`}</span>
      </div>
      ${e.run?.state===`ready`?this.#e.error?I(this.#e.error):x`<mp-vtable
            label="Calls; Enter selects one"
            aria-busy=${this.#e.isBusy}
            .columns=${n}
            .count=${t?.length??0}
            .isSelected=${e=>this.#n(e)}
            empty=${this.#e.isBusy?`…`:`No calls here.`}
            @activate=${n=>{if(!t)return;let r=n.detail;this.#t=`${t.rank[r]}:${t.row[r]}:${t.length}`,e.show({rank:t.rank[r],row:t.row[r],start_ns:t.start_ns[r],end_ns:t.start_ns[r]+t.duration_ns[r]})}}
          ></mp-vtable>`:Rt()}`}};q([T({attribute:!1})],$o.prototype,`app`,void 0),$o=q([w(`mp-events`)],$o);var es=e=>`${e<.01?(100*e).toPrecision(1):Math.round(100*e)} %`;function ts(e,t,n=`calls`){return!e||e.kind===`calls`?``:e.kind===`sample`?` · ${es(e.share)} of the ${n}${t===null?``:`, reading all: ${es(t)}`}`:` · from bins of ${[e.bin_ns>0?O(e.bin_ns):``,e.share>0?`${100*e.share} %`:``].filter(Boolean).join(` and `)}`}var ns=0,rs=Math.random().toString(36).slice(2,8);function is(e,t,n){let r=`${rs}-${ns++}`;return[e=>n({...t,quick:!0},e),{isSample:e=>e.basis?.kind===`sample`,exact:e=>n({...t,ask:r},e),done:t=>e.client.working(r,t)}]}function as(e,t){return{left:76,top:10,width:Math.max(1,e-76-14),height:Math.max(1,t-10-38)}}function $(e,t,n){return e.text?e.text(t):e.isMoment?N(t,n):ft(t,e.unit)}function os(e,t,n,r,i){e.font=an,e.lineWidth=1;let a=Wt(n.scale,Math.max(2,Math.floor(t.width/95)),n.unit),o=Wt(r.scale,Math.max(2,Math.floor(t.height/32)),r.unit),s=e=>e.length>1?e[1]-e[0]:1;e.strokeStyle=i.line,e.fillStyle=i.muted,e.textBaseline=`top`;for(let r of a){let i=Math.round(t.left+L(n.scale,r)*t.width)+.5;if(i<t.left-1||i>t.left+t.width+1)continue;e.beginPath(),e.moveTo(i,t.top),e.lineTo(i,t.top+t.height+4),e.stroke();let o=$(n,r,s(a)),c=e.measureText(o).width/2;e.textAlign=`center`,e.fillText(o,Math.min(i,t.left+t.width+12-c),t.top+t.height+6)}e.textBaseline=`middle`,e.textAlign=`right`;for(let n of o){let i=Math.round(t.top+(1-L(r.scale,n))*t.height)+.5;i<t.top-1||i>t.top+t.height+1||(e.beginPath(),e.moveTo(t.left-4,i),e.lineTo(t.left+t.width,i),e.stroke(),e.fillText($(r,n,s(o)),t.left-7,i,t.left-20))}e.strokeStyle=i.muted,e.strokeRect(t.left+.5,t.top+.5,t.width,t.height),e.font=H,e.fillStyle=i.text,e.textAlign=`center`,e.textBaseline=`bottom`,e.fillText(n.title,t.left+t.width/2,t.top+t.height+37),e.save(),e.translate(10,t.top+t.height/2),e.rotate(-Math.PI/2),e.textBaseline=`middle`,e.fillText(r.title,0,0),e.restore()}function ss(e){let t=e.clientWidth,n=e.clientHeight;if(!t||!n)return null;let r=devicePixelRatio||1;(e.width!==Math.round(t*r)||e.height!==Math.round(n*r))&&(e.width=Math.round(t*r),e.height=Math.round(n*r));let i=e.getContext(`2d`,{alpha:!1});return i.setTransform(r,0,0,r,0,0),{c:i,width:t,height:n}}var cs=class extends C{static{this.styles=[D,$e,o`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      .plot {
        position: relative;
        flex: 1;
        min-height: 0;
        overflow: hidden;
        background: var(--panel);
      }
      .plot:focus-visible {
        outline-offset: -2px;
      }
      canvas {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
        touch-action: none;
      }
      mp-vtable {
        flex: 1;
      }
      .tip {
        position: absolute;
        top: 0;
        left: 0;
        max-width: 300px;
        pointer-events: none;
        background: var(--panel);
        border: 1px solid var(--line-strong);
        border-radius: 5px;
        box-shadow: var(--shadow);
        padding: 4px 8px;
        font-size: 12px;
        z-index: 2;
      }
    `]}#e=null;constructor(){super(),new F(this)}updated(){let e=this.renderRoot.querySelector(`canvas`);e&&(this.#e||(this.#e=new ResizeObserver(()=>{let e=this.renderRoot.querySelector(`canvas`);e&&this.paint(e),this.resized()}),this.#e.observe(this)),this.paint(e))}resized(){}disconnectedCallback(){super.disconnectedCallback(),this.#e?.disconnect(),this.#e=null}get isTwin(){return this.app.store.state.twins.includes(this.view)}twinButton(){return x`<button class="line" aria-label="As a table" aria-pressed=${this.isTwin} @click=${()=>Na(this.app,this.view)}>Table</button>`}placeTip(e,t){let n=this.renderRoot.querySelector(`.tip`),r=this.renderRoot.querySelector(`.plot`);if(!n||!r)return;let i=e+14+n.offsetWidth>r.clientWidth?Math.max(0,e-n.offsetWidth-10):e+14,a=Math.max(0,Math.min(t+12,r.clientHeight-n.offsetHeight));n.style.transform=`translate(${Math.round(i)}px, ${Math.round(a)}px)`}};q([T({attribute:!1})],cs.prototype,`app`,void 0);var ls=120;function us(e,t,n){return e===`duration`?{duration_min:Math.floor(t),duration_max:Math.ceil(n)}:e===`bytes`?{bytes_min:Math.ceil(t),bytes_max:Math.floor(n)}:e===`rank`?{ranks:`${Math.max(0,Math.ceil(t))}-${Math.max(0,Math.floor(n))}`}:e===`start`||e===`end`?`time`:null}var ds=class extends cs{constructor(...e){super(...e),this.view=`histogram`,this.#e=new hi(this),this.#t=new hi(this),this.drag=null,this.over=null,this.#n=null}#e;#t;#n;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{field:t,is_log:n,of:r}=e.store.state.histogram,{area:i,filter:a}=e.store.state,o={...i?{...a,...e.store.state.scope===`run`?{}:{from:Math.round(e.window.from),until:Math.round(e.window.until)}}:e.scope,of:r,field:t,is_log:n,bins:ls};this.#e.update([o,e.growth],...is(e,o,(t,n)=>e.client.histogram(t,n)));let s=this.#e.value;if(i&&s&&s.field===t&&s.max>s.min){let n={...e.scope,of:r,field:t,is_log:s.is_log,min:s.min,max:s.max,bins:ls};this.#t.update(n,...is(e,n,(t,n)=>e.client.histogram(t,n)))}}#r(e){let{run:t}=this.app,n=(this.app.store.state.histogram.of===`messages`?t?.message_fields:t?.fields)?.find(t=>t.id===e.field),r={scale:{min:e.min,max:e.max,isLog:e.is_log},unit:n?.unit??``,title:n?.name??e.field,isMoment:e.field===`start`||e.field===`end`};return e.field===`function`&&(r.text=e=>this.app.names?.short(Math.round(e))??``),r}#i(e){let t=1;for(let n of e.counts)t=Math.max(t,n);return{scale:{min:0,max:t*1.05,isLog:!1},unit:``,title:this.app.store.state.histogram.of===`messages`?`Messages`:`Calls`,isMoment:!1,text:j}}paint(e){let t=ss(e);if(!t)return;let{c:n,width:r,height:i}=t,{app:a}=this,o=V[a.theme];n.fillStyle=o.panel,n.fillRect(0,0,r,i);let s=this.#e.value;if(!s||s.total===0)return;let c=as(r,i);this.#n=c;let l=this.#r(s),u=this.#i(s);os(n,c,l,u,o);let d=a.store.state.area!==null,f=(e,t)=>{n.fillStyle=t;let r=e.counts.length;e.counts.forEach((e,t)=>{if(!e)return;let i=c.left+t/r*c.width,a=Math.max(1.5,L(u.scale,e)*c.height);n.fillRect(i,c.top+c.height-a,Math.max(1,c.width/r-.6),a)})};f(s,d?o.absent:U(W(`send`,a.theme)));let p=this.#t.value;if(d&&p&&p.field===s.field&&p.min===s.min&&f(p,U(W(`completion`,a.theme))),this.drag){n.fillStyle=o.shade;let[e,t]=[Math.min(this.drag.x0,this.drag.x1),Math.max(this.drag.x0,this.drag.x1)];n.fillRect(e,c.top,t-e,c.height),n.strokeStyle=o.accent,n.strokeRect(e,c.top,t-e,c.height)}}#a(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#o(e){let{x:t,y:n}=this.#a(e),r=this.#e.value;if(this.drag)this.drag={...this.drag,x1:t};else if(r&&this.#n){let e=Math.floor((t-this.#n.left)/this.#n.width*r.counts.length);this.over=e>=0&&e<r.counts.length?{x:t,y:n,bin:e}:null}}#s(){let e=this.drag;this.drag=null;let t=this.#e.value,n=this.#n;if(!e||!t||!n||Math.abs(e.x1-e.x0)<4)return;let r=this.#r(t).scale,i=e=>Bt(r,Math.max(0,Math.min(1,(e-n.left)/n.width)));this.#c(i(Math.min(e.x0,e.x1)),i(Math.max(e.x0,e.x1)))}#c(e,t){let{app:n}=this,{field:r}=n.store.state.histogram,i=us(r,e,t);i===`time`?n.store.set({area:{from:Math.floor(e),until:Math.max(Math.ceil(t),Math.floor(e)+1),row_from:null,row_until:null}}):i?n.store.set({filter:{...n.store.state.filter,...i}}):n.say(`Calls cannot be filtered by this field.`)}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let{app:e}=this,{field:t,is_log:n,of:r}=e.store.state.histogram,i=this.#e.value,a=((r===`messages`?e.run?.message_fields:e.run?.fields)??[]).filter(t=>t.id!==`iteration`||e.run?.iterations);return x`<div class="controls">
        <label>of <select aria-label="Of what" @change=${t=>e.store.set({histogram:{field:`duration`,is_log:n,of:t.target.value}})}>
          ${[`calls`,`messages`].map(e=>x`<option value=${e} ?selected=${e===r}>${e}</option>`)}
        </select></label>
        <label>field
          <select aria-label="Field" @change=${t=>e.store.set({histogram:{field:t.target.value,is_log:n,of:r}})}>
            ${a.map(e=>x`<option value=${e.id} ?selected=${e.id===t}>${e.name}</option>`)}
          </select></label>
        <label><input type="checkbox" .checked=${n} @change=${n=>e.store.set({histogram:{field:t,is_log:n.target.checked,of:r}})} />log</label>
        <span class="space"></span>
        <span class="muted">${i?`${j(i.total)} ${r}${ts(i.basis,this.#e.done,r)}`:``}${e.store.state.area?`, the area stands out`:``}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?I(this.#e.error):this.isTwin?this.#u():this.#l():Rt()}`}#l(){let e=this.#e.value,t=this.over,n=e?this.#r(e):null,r=t=>$(n,e.edges[t],1e3);return x`<div class="plot" role="group" aria-label="Histogram" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${e?`Histogram of ${n.title.toLowerCase()} of ${A(e.total)} calls`:`Histogram`}
        @pointerdown=${e=>{e.currentTarget.setPointerCapture(e.pointerId);let t=this.#a(e).x;this.drag={x0:t,x1:t}}}
        @pointermove=${e=>this.#o(e)}
        @pointerup=${()=>this.#s()}
        @pointerleave=${()=>this.over=null}
      ></canvas>
      ${e&&e.total===0?x`<p class="note">No calls here have this value.</p>`:S}
      ${t&&e&&!this.drag?x`<div class="tip number">${r(t.bin)} – ${r(t.bin+1)}<br />${A(e.counts[t.bin])} calls, ${O(e.time_ns[t.bin])}</div>`:S}
    </div>`}#u(){let e=this.#e.value,t=e?e.counts.map((e,t)=>t).filter(t=>e.counts[t]):[],n=e?this.#r(e):null;return x`<mp-vtable
      label="Histogram as a table; Enter filters by a row"
      .columns=${[{id:`from`,title:`From`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:r=>$(n,e.edges[t[r]],1e3)},{id:`until`,title:`Until`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:r=>$(n,e.edges[t[r]+1],1e3)},{id:`count`,title:`Calls`,isNumber:!0,cell:n=>A(e.counts[t[n]])},{id:`time`,title:`Time`,isNumber:!0,cell:n=>O(e.time_ns[t[n]])}]}
      .count=${t.length}
      @activate=${n=>e&&this.#c(e.edges[t[n.detail]],e.edges[t[n.detail]+1])}
    ></mp-vtable>`}};q([E()],ds.prototype,`drag`,void 0),q([E()],ds.prototype,`over`,void 0),ds=q([w(`mp-histogram`)],ds);var fs=class extends C{static{this.styles=[D,o`
      :host {
        overflow: auto;
        height: 100%;
        padding: 8px 10px;
      }
      h2 {
        font-size: 13px;
      }
      table {
        border-spacing: 0;
        font-size: 12px;
        width: 100%;
        margin-top: 6px;
      }
      td,
      th {
        text-align: right;
        padding: 2px 0 2px 8px;
        border-bottom: 1px solid var(--line);
      }
      td:first-child,
      th:first-child {
        text-align: left;
        padding-left: 0;
      }
      .buttons {
        display: flex;
        gap: 6px;
        margin-top: 6px;
      }
    `]}#e=new hi(this);constructor(){super(),new F(this)}willUpdate(){let{app:e}=this;if(!e.store.state.area||e.run?.state!==`ready`)return;let t={...e.scope,by:`function`,sort:`total_ns`,limit:40};this.#e.update(t,n=>e.client.groups(t,n))}render(){let{app:e}=this,{area:t}=e.store.state;if(!t)return x`<p class="muted">Drag over the timeline to select a stretch of time and ranks: its statistics stand here, and the views below are about it alone.</p>`;let n=(t.until-t.from)/1e3,r=t.row_from===null?0:t.row_from,i=(t.row_until===null?e.rows:Math.min(t.row_until,e.rows))-1,a=this.#e.value,o=a?.rows.reduce((e,t)=>e+t.total_ns,0)??0,s=a?.rows.reduce((e,t)=>e+t.share,0)??0,c=e.order?`rows`:`ranks`;return x`<h2 class="number">${O(t.until-t.from)} × ${A(i-r+1)} ${i===r?`rank`:`ranks`}</h2>
      <div class="muted number">${N(t.from,n)} to ${N(t.until,n)}; ${i===r?`rank ${e.worldRank(e.rankAt(r))}`:`${c} ${r} to ${i}`}</div>
      <div class="buttons">
        <button class="line" @click=${()=>e.setWindow({from:t.from,until:t.until,row_from:r,row_until:i+1},!1)}>Zoom to it</button>
        <button class="line" @click=${()=>e.store.set({area:null})}>Take back</button>
      </div>
      ${this.#e.error?I(this.#e.error):S}
      ${a?x`<table aria-busy=${this.#e.isBusy}>
            <thead>
              <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
            </thead>
            <tbody>
              ${a.rows.map(t=>x`<tr>
                  <td>${t.key[0]?.id===null?S:gi(e,t.key[0].id)} ${t.key[0]?.text.replace(/^MPI_/,``)}</td>
                  <td class="number">${A(t.count)}</td>
                  <td class="number">${O(t.total_ns)}</td>
                  <td class="number">${M(t.share)}</td>
                </tr>`)}
              <tr><td><b>in MPI</b></td><td></td><td class="number">${O(o)}</td><td class="number">${M(s)}</td></tr>
            </tbody>
          </table>`:S}`}};q([T({attribute:!1})],fs.prototype,`app`,void 0),fs=q([w(`mp-area`)],fs);var ps=[[`rank`,`previous`,`next`],[`function`,`previous-function`,`next-function`],[`communicator`,`previous-comm`,`next-comm`],[`call site`,`previous-site`,`next-site`],[`message, collective`,`along-previous`,`along-next`],[`longer`,`previous-longer`,`next-longer`]],ms={},hs=e=>ms[e]??e.replace(/_/g,` `).replace(/\bnxn\b/,`N×N`),gs=class extends C{static{this.styles=[D,o`
      :host {
        overflow: auto;
        height: 100%;
        min-height: 0;
      }
      .body {
        padding: 8px 10px 14px;
      }
      h2 {
        font-size: 14px;
        display: flex;
        align-items: center;
        gap: 7px;
        overflow-wrap: anywhere;
      }
      h3 {
        margin: 10px 0 3px;
        font-size: 12px;
        color: var(--muted);
        font-weight: 600;
      }
      dl {
        margin: 6px 0 0;
        display: grid;
        grid-template-columns: max-content 1fr;
        gap: 1px 10px;
        font-size: 12px;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      ol {
        margin: 0;
        padding-left: 18px;
        font-size: 12px;
        overflow-wrap: anywhere;
      }
      .link {
        color: var(--accent);
        text-decoration: underline;
        padding: 0 2px;
        min-height: 24px;
        text-align: left;
      }
      .walks {
        display: grid;
        grid-template-columns: auto 1fr auto;
        gap: 2px 4px;
        align-items: center;
        font-size: 12px;
        text-align: center;
      }
      .walks button {
        min-height: 24px;
        min-width: 52px;
        display: inline-flex;
        align-items: center;
        justify-content: center;
        gap: 5px;
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
        font-size: 12px;
      }
      .bad {
        color: var(--bad);
      }
    `]}constructor(){super(),new F(this)}render(){let{app:e}=this,{selection:t}=e.store.state;if(!t)return x`<div class="body">
        <p class="muted">Click a call in the timeline or a point in the scatter plot, or press <kbd>L</kbd> for the longest call in sight.</p>
        ${this.#o()}
      </div>`;if(e.detailError)return I(e.detailError);let n=e.detail;return n?x`<div class="body">${this.#t(n)} ${this.#o()}</div>`:x`<p class="note" role="status">…</p>`}#e(e){this.app.goTo(async t=>{let n=await this.app.client.call(e,t);return{...e,start_ns:n.start_ns,end_ns:n.start_ns+n.duration_ns}},`This call is not there.`)}#t(e){let{app:t}=this,n=(e,t)=>t==null||t===``?S:x`<dt>${e}</dt><dd class="number">${t}</dd>`,r=e.bytes_sent?k(e.bytes_sent):null,i=e.bytes_received?k(e.bytes_received):null,a=e.bytes_sent+e.bytes_received;return x`<h2>${gi(t,e.function_id)} ${e.function}</h2>
      <div class="number"><b>${O(e.duration_ns)}</b> <span class="muted">on rank ${e.world_rank}${t.run&&t.run.hosts.length>1?x`, ${e.host}`:S}</span></div>
      ${e.is_failed?x`<div class="bad">It failed.</div>`:S}
      ${e.is_poll?x`<div class="muted">${A(e.count)} unsuccessful polls in one</div>`:S}
      ${e.is_nested?x`<div class="muted">Inside of another call</div>`:S}
      <dl>
        ${n(`start`,N(e.start_ns,1))} ${n(`end`,N(e.end_ns??e.start_ns+e.duration_ns,1))}
        ${n(`thread`,(t.run?.ranks.threads[e.rank]??1)>1?e.thread:null)}
        ${n(`communicator`,e.comm)} ${n(`peer`,e.peer===null?null:t.worldRank(e.peer))} ${n(`root`,e.root===null?null:t.worldRank(e.root))}
        ${n(`tag`,e.peer===null?null:e.tag)} ${n(`sent`,r)} ${n(`received`,i)}
        ${n(`elements`,e.elements?x`${A(e.elements)}${e.datatype?x` × ${e.datatype}`:S}`:null)}
        ${n(`bytes in time`,a&&e.duration_ns?`${k(a/e.duration_ns*1e9)}/s`:null)}
        ${n(`region`,e.region)} ${n(`iteration`,e.iteration)} ${n(`call number`,A(e.row))}
      </dl>
      ${this.#r(e)} ${this.#i(e)} ${this.#a(e)} ${this.#n(e)}`}#n(e){let{frames:t,text:n}=e.site;return!n&&!t.length?S:x`<h3>Called from</h3>
      ${t.length>1?x`<ol class="mono">${t.map(e=>x`<li>${e}</li>`)}</ol>`:x`<div class="mono">${t[0]??n}</div>`}`}#r(e){return e.waits.length?x`<h3>Waits in it</h3>
      <ul>
        ${e.waits.map(e=>x`<li>
            ${O(e.end_ns-e.start_ns)} ${hs(e.kind)}${e.cause?x`, for <button class="link" @click=${()=>this.#e(e.cause)}>rank ${this.app.worldRank(e.cause.rank)}</button>`:S}
          </li>`)}
      </ul>`:S}#i(e){return e.messages.length?x`<h3>Messages</h3>
      <ul>
        ${e.messages.slice(0,12).map(e=>x`<li>
            ${e.direction.startsWith(`s`)?`to`:`from`}
            <button class="link" @click=${()=>this.#e({rank:e.rank,row:e.row})}>rank ${this.app.worldRank(e.rank)}</button>
            ${k(e.bytes)}, tag ${e.tag}${e.received_ns===null?`, never received`:x`, ${O(e.received_ns-e.sent_ns)} on its way`}
          </li>`)}
        ${e.messages.length>12?x`<li class="muted">and ${e.messages.length-12} more</li>`:S}
      </ul>`:S}#a(e){let t=e.collective;return t?x`<h3>Collective operation</h3>
      <dl>
        <dt>which</dt><dd>number ${A(t.number)} on ${t.comm}</dd>
        <dt>members</dt><dd>${A(t.members)}${t.missing?`, ${A(t.missing)} more not recorded`:``}</dd>
        <dt>came in over</dt><dd>${O(t.last_start_ns-t.first_start_ns)}</dd>
        ${t.last_rank===null?S:x`<dt>last</dt><dd>rank ${this.app.worldRank(t.last_rank)}</dd>`}
      </dl>`:S}#o(){let{app:e}=this,t=(t,n)=>{let r=Pa.find(e=>e.id===t),i=r.keys[0];return x`<button class="line" title=${r.title} ?disabled=${!(r.when?.(e)??!0)} @click=${()=>r.run(e)}>
        <span aria-hidden="true">${n}</span>${i?x`<kbd aria-hidden="true">${Ui(i)}</kbd>`:S}<span class="hidden-text">${r.title}</span>
      </button>`};return x`<h3>Walk</h3>
      <div class="walks">${ps.map(([e,n,r])=>x`${t(n,`‹`)}<span>${e}</span>${t(r,`›`)}`)}</div>`}};q([T({attribute:!1})],gs.prototype,`app`,void 0),gs=q([w(`mp-inspector`)],gs);var _s=class extends C{static{this.styles=[D,o`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        height: 100%;
      }
      .top {
        display: flex;
        gap: 4px;
        align-items: center;
        padding: 4px 8px;
        border-bottom: 1px solid var(--line);
      }
      .top input {
        flex: 1;
        min-width: 60px;
      }
      .list {
        overflow: auto;
        flex: 1;
        min-height: 0;
      }
      table {
        width: 100%;
        border-spacing: 0;
        font-size: 12px;
        table-layout: fixed;
      }
      th {
        position: sticky;
        top: 0;
        z-index: 1;
        background: var(--raised);
        text-align: right;
        padding: 0 4px;
        height: 26px;
        font-weight: 600;
      }
      th button {
        padding: 0;
        min-height: 24px;
        font-weight: 600;
        font-size: 12px;
      }
      th:first-child {
        text-align: left;
        padding-left: 8px;
        width: auto;
      }
      td {
        padding: 0 3px;
        height: 25px;
        text-align: right;
        border-bottom: 1px solid var(--line);
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      td:first-child {
        text-align: left;
        padding-left: 8px;
      }
      td:last-child,
      th:last-child {
        padding-right: 8px;
        width: 66px;
      }
      th:nth-child(2) {
        width: 58px;
      }
      th:nth-child(3) {
        width: 60px;
      }
      .list {
        container-type: inline-size;
      }
      @container (max-width: 290px) {
        td:last-child,
        th:last-child {
          display: none;
        }
        td:nth-child(3),
        th:nth-child(3) {
          padding-right: 8px;
          width: 66px;
        }
      }
      label,
      .name {
        display: flex;
        align-items: center;
        gap: 5px;
      }
      .swatch {
        flex: none;
      }
      .name span,
      label span {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .name button {
        padding: 0 3px;
        min-height: 24px;
        overflow: hidden;
        text-overflow: ellipsis;
        text-align: left;
      }
      input[type="checkbox"] {
        margin: 0;
        width: 15px;
        height: 15px;
        flex: none;
      }
      .name button.search {
        margin-left: auto;
        flex: none;
        width: 24px;
        padding: 0;
        display: grid;
        place-items: center;
        background: none;
        color: var(--muted);
      }
      .name button.search[aria-pressed="false"] {
        color: var(--bad);
      }
      tr.off {
        color: var(--muted);
      }
      .ground {
        padding: 5px 8px;
        border-top: 1px solid var(--line);
        display: flex;
        gap: 14px;
        font-size: 12px;
        color: var(--muted);
      }
      .ground span {
        display: inline-flex;
        gap: 5px;
        align-items: center;
      }
    `]}constructor(){super(),this.text=``,this.sort=`time_ns`,new F(this)}#e(){let{app:e}=this,t=e.run;if(!t)return[];let n=(e,t,n,r)=>({key:t,name:e,swatch:n,functions:r.map(e=>e.id),calls:r.reduce((e,t)=>e+t.calls,0),time_ns:r.reduce((e,t)=>e+t.time_ns,0),exclusive_ns:r.reduce((e,t)=>e+t.exclusive_ns,0)}),r=e.store.state.colouring===`class`?t.classes.map(r=>n(r.name,r.id,_i(e,r.id),t.functions.filter(e=>e.class===r.id))).filter(e=>e.functions.length):t.functions.map(t=>n(t.name,String(t.id),gi(e,t.id),[t])),i=this.text.trim().toLowerCase();return r.filter(e=>e.name.toLowerCase().includes(i)).sort((e,t)=>this.sort===`name`?e.name.localeCompare(t.name):t[this.sort]-e[this.sort]||e.name.localeCompare(t.name))}#t(e,t){let n=new Set(this.app.store.state.hidden);for(let r of e)t?n.delete(r):n.add(r);this.app.store.set({hidden:[...n].sort((e,t)=>e-t)})}#n(e,t){let n=new Set(this.app.store.state.skipped);for(let r of e)t?n.delete(r):n.add(r);this.app.store.set({skipped:[...n].sort((e,t)=>e-t)})}#r(e,t,n){let r=this.sort===e;return x`<th scope="col" aria-sort=${r?e===`name`?`ascending`:`descending`:S} title=${n}>
      <button @click=${()=>this.sort=e}>${t}${r?e===`name`?` ▴`:` ▾`:``}</button>
    </th>`}render(){let{app:e}=this,t=e.run;if(!t)return x``;let n=this.#e(),r=new Set(e.store.state.hidden),i=new Set(e.store.state.skipped),a=n.flatMap(e=>e.functions),o=e.store.state.filter.functions,s=t.functions.reduce((e,t)=>e+t.time_ns,0);return x`<div class="top">
        <input type="search" aria-label="Find in the legend" placeholder="find" .value=${this.text} @input=${e=>this.text=e.target.value} />
        <button class="line" @click=${()=>this.#t(a,!0)}>All</button>
        <button class="line" @click=${()=>this.#t(a,!1)}>None</button>
        <button class="line" aria-pressed=${e.store.state.colouring===`class`} @click=${()=>e.store.set({colouring:e.store.state.colouring===`class`?`function`:`class`})}>
          Classes
        </button>
      </div>
      <div class="list" tabindex="0" role="region" aria-label="Functions and classes">
        <table>
          <thead>
            <tr>
              ${this.#r(`name`,e.store.state.colouring===`class`?`Class`:`Function`,`The box: whether it is shown, or else drawn as computing. The glass: whether searching and walking stop at it`)}
              ${this.#r(`calls`,`Calls`,`In the whole run, also those whose events were overwritten`)}
              ${this.#r(`time_ns`,`Time`,`From entry to return, all ranks together`)}
              ${this.#r(`exclusive_ns`,`Excl.`,`Without MPI calls inside of them, as callbacks make`)}
            </tr>
          </thead>
          <tbody>
            ${n.map(t=>{let n=t.functions.some(e=>!r.has(e)),a=n&&t.functions.some(e=>!i.has(e)),c=o!==null&&t.functions.length===o.length&&t.functions.every(e=>o.includes(e));return x`<tr class=${n?``:`off`}>
                <td title=${t.name}>
                  <div class="name">
                    <input type="checkbox" title="Show" aria-label="Show ${t.name}" .checked=${n} @change=${()=>this.#t(t.functions,!n)} />
                    ${t.swatch}
                    <button
                      aria-pressed=${c}
                      title="Only ${t.name}, in all views"
                      @click=${()=>e.store.set({filter:{...e.store.state.filter,functions:c?null:t.functions}})}
                    >
                      ${t.name.replace(/^MPI_/,``)}
                    </button>
                    <button
                      class="search"
                      title=${a?`Searching and walking stop at it`:`Searching and walking pass it over`}
                      aria-label="Search ${t.name}"
                      aria-pressed=${a}
                      ?disabled=${!n}
                      @click=${()=>this.#n(t.functions,!a)}
                    >
                      <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
                        <circle cx="5" cy="5" r="3.6"></circle>
                        <path d=${a?`M7.8 7.8L11 11`:`M7.8 7.8L11 11M1 11L11 1`}></path>
                      </svg>
                    </button>
                  </div>
                </td>
                <td class="number" title=${A(t.calls)}>${j(t.calls)}</td>
                <td class="number" title="${M(t.time_ns/Math.max(1,s))} of the time in MPI">${O(t.time_ns)}</td>
                <td class="number">${O(t.exclusive_ns)}</td>
              </tr>`})}
          </tbody>
        </table>
      </div>
      <div class="ground">
        <span>${vi(U(An[e.theme]))} computing</span>
        <span>${vi(`#d9a43a`,!0)} waiting, inside of a call</span>
      </div>`}};q([T({attribute:!1})],_s.prototype,`app`,void 0),q([E()],_s.prototype,`text`,void 0),q([E()],_s.prototype,`sort`,void 0),_s=q([w(`mp-legend`)],_s);var vs=[{id:`bytes`,title:`Bytes`,text:k},{id:`count`,title:`Messages`,text:A},{id:`mean`,title:`Mean size`,text:k},{id:`latency`,title:`Mean time sent to received`,text:O},{id:`longest`,title:`Longest time sent to received`,text:O}],ys=256;function bs(e,t,n){switch(n){case`count`:return e.count[t];case`mean`:return e.count[t]>0?e.bytes[t]/e.count[t]:0;case`latency`:return e.latency_ns[t];case`longest`:return e.longest_ns[t];default:return e.bytes[t]}}var xs=class extends cs{constructor(...e){super(...e),this.view=`matrix`,this.#e=new hi(this),this.over=null,this.#t=null,this.#n=null}#e;#t;#n;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by:t,comm:n}=e.store.state.matrix,r={...ar(e.store.state,e.window),comm:n??e.store.state.filter.comm,by:t,blocks:ys};this.#e.update([r,e.growth],...is(e,r,(t,n)=>e.client.matrix(t,n)))}#r(e,t){let n=this.#e.value;if(!n)return-1;if(this.#n?.of!==n){let e=new Map;for(let t=0;t<n.sender.length;t++)e.set(n.sender[t]*n.rows+n.receiver[t],t);this.#n={of:n,at:e}}return this.#n.at.get(e*n.rows+t)??-1}paint(e){let t=ss(e);if(!t)return;let{c:n,width:r,height:i}=t,{app:a}=this,o=V[a.theme];n.fillStyle=o.panel,n.fillRect(0,0,r,i);let s=this.#e.value;if(!s||!s.rows)return;let c=Math.min(r-84-120,i-30-12),l=Math.max(.5,Math.min(40,c/s.rows));this.#t={left:84,top:30,size:l};let u=l*s.rows;n.fillStyle=o.faint,n.fillRect(84,30,u,u);let{value:d}=a.store.state.matrix,f=0;for(let e=0;e<s.sender.length;e++)f=Math.max(f,bs(s,e,d));let p=+(l>6);for(let e=0;e<s.sender.length;e++)n.fillStyle=U(Bn(.18+.82*(f>0?bs(s,e,d)/f:0),a.theme)),n.fillRect(84+s.receiver[e]*l,30+s.sender[e]*l,Math.max(1,l-p),Math.max(1,l-p));n.strokeStyle=o.line,n.strokeRect(83.5,29.5,u+1,u+1),this.#i(n,s,{left:84,top:30,size:l}),this.#a(n,{x:84+u+18,y:30,h:Math.min(u,160)},f,vs.find(e=>e.id===d).text),this.over&&(n.strokeStyle=o.accent,n.lineWidth=2,n.strokeRect(84+this.over.receiver*l,30+this.over.sender*l,Math.max(2,l),Math.max(2,l)),n.lineWidth=1)}#i(e,t,{left:n,top:r,size:i}){let a=V[this.app.theme];e.font=H,e.fillStyle=a.muted;let o=Math.max(1,Math.ceil(14/i)),s=Math.max(1,Math.ceil(24/i)),c=t.labels.every(e=>e.length<=5);for(let a=0;a<t.rows;a++){let l=t.labels[a]??String(a);a%o===0&&(e.textAlign=`right`,e.textBaseline=`middle`,e.fillText(l,n-5,r+(a+.5)*i,n-22)),a%s===0&&c&&(e.textAlign=`center`,e.textBaseline=`bottom`,e.fillText(l,n+(a+.5)*i,r-3))}e.fillStyle=a.text,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(`receiver →`,n,3),e.save(),e.translate(9,r),e.rotate(-Math.PI/2),e.textAlign=`right`,e.textBaseline=`middle`,e.fillText(`← sender`,0,0),e.restore()}#a(e,t,n,r){let i=V[this.app.theme];for(let n=0;n<t.h;n++)e.fillStyle=U(Bn(.18+.82*(1-n/t.h),this.app.theme)),e.fillRect(t.x,t.y+n,12,1.5);e.fillStyle=i.muted,e.font=H,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(r(n),t.x+17,t.y),e.textBaseline=`bottom`,e.fillText(`0`,t.x+17,t.y+t.h)}#o(e){let t=this.#e.value,n=this.#t;if(!t||!n)return null;let r=this.renderRoot.querySelector(`.plot`).getBoundingClientRect(),i=e.clientX-r.left,a=e.clientY-r.top,o=Math.floor((i-n.left)/n.size),s=Math.floor((a-n.top)/n.size);return s<0||o<0||s>=t.rows||o>=t.rows?null:{x:i,y:a,sender:s,receiver:o}}#s(e,t){let n=this.#e.value,{app:r}=this;if(!n||!r.run)return;let{filter:i,matrix:a}=r.store.state;if(a.by===`host`){let n=r.run.ranks.host.flatMap((e,n)=>e===t?[n]:[]);r.store.set({filter:{...i,host:e,peer:null,peers:pt(n)}});return}let o=Math.max(1,n.ranks_per_block),s=r.run.ranks.count-1,c=e=>`${e*o}-${Math.min(s,(e+1)*o-1)}`,l=o===1?{ranks:String(e),peer:t,peers:null}:{ranks:c(e),peer:null,peers:c(t)};r.store.set({filter:{...i,...l}})}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let{app:e}=this,t=e.store.state.matrix,n=e.run?.communicators??[],r=t=>e.store.set({matrix:{...e.store.state.matrix,...t}});return x`<div class="controls">
        <label>show
          <select aria-label="Value" @change=${e=>r({value:e.target.value})}>
            ${vs.map(e=>x`<option value=${e.id} ?selected=${e.id===t.value}>${e.title}</option>`)}
          </select></label>
        <label>by
          <select aria-label="Rows and columns" @change=${e=>r({by:e.target.value})}>
            <option value="rank" ?selected=${t.by===`rank`}>rank</option>
            <option value="host" ?selected=${t.by===`host`}>host</option>
          </select></label>
        <label>on
          <select aria-label="Communicator" @change=${e=>r({comm:e.target.value===``?null:Number(e.target.value)})}>
            <option value="" ?selected=${t.comm===null}>all communicators</option>
            ${n.slice(0,200).map(e=>x`<option value=${e.id} ?selected=${e.id===t.comm}>${e.name}</option>`)}
          </select></label>
        <span class="space"></span>
        <span class="muted">${ts(this.#e.value?.basis,this.#e.done,`messages`).replace(/^ · /,``)}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?I(this.#e.error):this.isTwin?this.#l():this.#c():Rt()}`}#c(){let e=this.#e.value,t=this.over,n=t?this.#r(t.sender,t.receiver):-1;return x`<div class="plot" role="group" aria-label="Communication matrix" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${e?`Communication matrix of ${e.rows} rows, ${A(e.sender.length)} pairs that exchange messages`:`Communication matrix`}
        @pointermove=${e=>this.over=this.#o(e)}
        @pointerleave=${()=>this.over=null}
        @click=${e=>{let t=this.#o(e);t&&this.#s(t.sender,t.receiver)}}
      ></canvas>
      ${e&&!e.sender.length?x`<p class="note">No messages here.</p>`:S}
      ${t&&e?x`<div class="tip number">
            <b>${e.labels[t.sender]} → ${e.labels[t.receiver]}</b><br />
            ${n<0?`no messages`:x`${A(e.count[n])} messages, ${k(e.bytes[n])}<br />mean ${O(e.latency_ns[n])}, longest
                  ${O(e.longest_ns[n])}`}
          </div>`:S}
    </div>`}#l(){let e=this.#e.value,{value:t}=this.app.store.state.matrix,n=e?Array.from(e.sender,(e,t)=>t).sort((n,r)=>bs(e,r,t)-bs(e,n,t)):[];return x`<mp-vtable
      label="Communication matrix as a table; Enter filters by a row"
      .columns=${[{id:`sender`,title:`Sender`,isNumber:!0,cell:t=>e.labels[e.sender[n[t]]]??``},{id:`receiver`,title:`Receiver`,isNumber:!0,cell:t=>e.labels[e.receiver[n[t]]]??``},...vs.map(t=>({id:t.id,title:t.title,isNumber:!0,width:`minmax(110px, 1fr)`,cell:r=>t.text(bs(e,n[r],t.id))}))]}
      .count=${n.length}
      @activate=${t=>e&&this.#s(e.sender[n[t.detail]],e.receiver[n[t.detail]])}
    ></mp-vtable>`}};q([E()],xs.prototype,`over`,void 0),xs=q([w(`mp-matrix`)],xs);var Ss=2e4,Cs=8,ws=class extends cs{constructor(...e){super(...e),this.view=`scatter`,this.#e=new hi(this),this.drag=null,this.over=null,this.#t=null,this.#n=null,this.#r=null}#e;#t;#n;#r;#i(){let{app:e}=this;return(e.store.state.scatter.of===`messages`?e.run?.message_fields:e.run?.fields)??[]}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t=e.store.state.scatter,n=Math.max(64,Math.min(1024,Math.round((this.clientWidth||600)-90))),r=Math.max(48,Math.min(1024,Math.round((this.clientHeight||300)-82))),i={...e.scope,of:t.of,x:t.x,y:t.y,x_log:t.x_log,y_log:t.y_log,x_min:t.x_min,x_max:t.x_max,y_min:t.y_min,y_max:t.y_max,width:Math.ceil(n/2),height:Math.ceil(r/2),points:Ss};this.#e.update([i,e.growth],...is(e,i,(t,n)=>e.client.scatter(t,n)))}resized(){this.requestUpdate()}#a(e){let t=this.#i().find(t=>t.id===e.field),n={scale:{min:e.min,max:e.max,isLog:e.is_log},unit:t?.unit??``,title:t?.name??e.field,isMoment:e.field===`start`||e.field===`end`};return e.field===`function`&&(n.text=e=>this.app.names?.short(Math.round(e))??``),n}#o(e){let{app:t}=this,n=t.names?.classOf(e)??`local`;return U(t.store.state.colouring===`class`?W(n,t.theme):Rn(e,n,t.theme))}paint(e){let t=ss(e);if(!t)return;let{c:n,width:r,height:i}=t,a=V[this.app.theme];n.fillStyle=a.panel,n.fillRect(0,0,r,i);let o=this.#e.value;if(!o||o.total===0)return;let s=as(r,i);this.#t=s;let c=this.#a(o.x),l=this.#a(o.y);if(os(n,s,c,l,a),n.save(),n.beginPath(),n.rect(s.left,s.top,s.width,s.height),n.clip(),o.density?this.#l(n,s,o):this.#s(n,s,o,c,l),this.#u(n,s,o,c,l),this.#d(n,s,o,c,l),n.restore(),this.drag){let{x0:e,y0:t,x1:r,y1:i}=this.drag;n.strokeStyle=a.accent,n.lineWidth=1.5,n.fillStyle=a.shade,n.fillRect(Math.min(e,r),Math.min(t,i),Math.abs(r-e),Math.abs(i-t)),n.strokeRect(Math.min(e,r),Math.min(t,i),Math.abs(r-e),Math.abs(i-t))}}#s(e,t,n,r,i){let{hidden:a,colouring:o}=this.app.store.state,s=devicePixelRatio||1,c=JSON.stringify([t,s,r,i,a,o,this.app.theme]);if(this.#n?.of!==n||this.#n.key!==c){let e=new OffscreenCanvas(Math.max(1,Math.ceil(t.width*s)),Math.max(1,Math.ceil(t.height*s))),a=e.getContext(`2d`);a.setTransform(s,0,0,s,-t.left*s,-t.top*s),this.#c(a,t,n,r,i),this.#n={of:n,key:c,canvas:e}}let{canvas:l}=this.#n;e.drawImage(l,t.left,t.top,l.width/s,l.height/s)}#c(e,t,n,r,i){let a=n.points,o=new Set(this.app.store.state.hidden),s=a.x.length>6e3?2:3,c=new Map;for(let n=0;n<a.x.length;n++){let l=a.function[n];if(o.has(l))continue;let u=c.get(l);u||c.set(l,u=this.#o(l)),e.fillStyle!==u&&(e.fillStyle=u);let d=t.left+L(r.scale,a.x[n])*t.width,f=t.top+(1-L(i.scale,a.y[n]))*t.height;e.fillRect(d-s/2,f-s/2,s,s)}}#l(e,t,n){let{app:r}=this;if(this.#r?.of!==n||this.#r.theme!==r.theme){let{width:e,height:t,count:i}=n.density,a=new ImageData(e,t),o=1;for(let e of i)o=Math.max(o,e);let s=Math.log(o+1);for(let n=0;n<t;n++)for(let o=0;o<e;o++){let c=i[n*e+o];if(!c)continue;let l=Bn(.25+.75*Math.log(c+1)/s,r.theme),u=((t-1-n)*e+o)*4;a.data[u]=l>>16,a.data[u+1]=l>>8&255,a.data[u+2]=l&255,a.data[u+3]=255}let c=new OffscreenCanvas(e,t);c.getContext(`2d`).putImageData(a,0,0),this.#r={of:n,theme:r.theme,canvas:c}}e.imageSmoothingEnabled=!1,e.drawImage(this.#r.canvas,t.left,t.top,t.width,t.height)}#u(e,t,n,r,i){let a=n.fit;if(a&&a.bytes_per_ns>0){e.strokeStyle=V[this.app.theme].path,e.lineWidth=1.5,e.setLineDash([5,3]),e.beginPath();for(let n=0;n<=60;n++){let o=Bt(r.scale,n/60),s=t.left+n/60*t.width,c=t.top+(1-L(i.scale,a.latency_ns+o/a.bytes_per_ns))*t.height;n===0?e.moveTo(s,c):e.lineTo(s,c)}e.stroke(),e.setLineDash([])}}#d(e,t,n,r,i){let{selection:a}=this.app.store.state,o=n.points;if(a&&o)for(let n=0;n<o.x.length;n++){if(o.rank[n]!==a.rank||o.row[n]!==a.row)continue;let s=t.left+L(r.scale,o.x[n])*t.width,c=t.top+(1-L(i.scale,o.y[n]))*t.height;e.strokeStyle=V[this.app.theme].selection,e.lineWidth=2,e.beginPath(),e.arc(s,c,6,0,7),e.stroke()}}#f(e,t){let n=this.#e.value,r=this.#t;if(!n?.points||!r)return-1;let i=this.#a(n.x).scale,a=this.#a(n.y).scale,o=-1,s=Cs**2;for(let c=0;c<n.points.x.length;c++){let l=r.left+L(i,n.points.x[c])*r.width-e,u=r.top+(1-L(a,n.points.y[c]))*r.height-t,d=l*l+u*u;d<s&&(s=d,o=c)}return o}#p(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#m(e){if(e.button!==0||!this.#t)return;let{x:t,y:n}=this.#p(e);e.currentTarget.setPointerCapture(e.pointerId),this.drag={x0:t,y0:n,x1:t,y1:n}}#h(e){let{x:t,y:n}=this.#p(e);if(this.drag)this.drag={...this.drag,x1:t,y1:n};else{let e=this.#f(t,n);this.over=e>=0?{x:t,y:n,index:e}:null}}#g(){let e=this.drag;if(this.drag=null,!e)return;if(Math.abs(e.x1-e.x0)<4&&Math.abs(e.y1-e.y0)<4){this.#_(this.#f(e.x1,e.y1));return}let t=this.#e.value,n=this.#t;if(!t||!n)return;let r=(e,t,n)=>Math.max(0,Math.min(1,(e-t)/n)),i=[e.x0,e.x1].map(e=>Bt(this.#a(t.x).scale,r(e,n.left,n.width))).sort((e,t)=>e-t),a=[e.y0,e.y1].map(e=>Bt(this.#a(t.y).scale,1-r(e,n.top,n.height))).sort((e,t)=>e-t);this.#v({x_min:i[0],x_max:i[1],y_min:a[0],y_max:a[1]})}#_(e){let t=this.#e.value?.points;if(!t||e<0)return;let n={rank:t.rank[e],row:t.row[e]};this.app.goTo(async e=>{let t=await this.app.client.call(n,e);return{...n,start_ns:t.start_ns,end_ns:t.start_ns+t.duration_ns}},`This call is not there any more.`)}#v(e){this.app.store.set({scatter:{...this.current(),...e}})}current(){return this.app.store.state.scatter}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let e=this.current(),t=this.#e.value,n=e.x_min!==null||e.y_min!==null,r=this.#i().filter(e=>e.id!==`iteration`||this.app.run?.iterations),i=e=>r.map(t=>x`<option value=${t.id} ?selected=${t.id===e}>${t.name}</option>`),a={x_min:null,x_max:null,y_min:null,y_max:null},o=e=>this.#v({of:e,x:e===`messages`?`bytes`:`end`,y:`duration`,...a});return x`<div class="controls">
        <label>of <select aria-label="Of what" @change=${e=>o(e.target.value)}>
          ${[`calls`,`messages`].map(t=>x`<option value=${t} ?selected=${t===e.of}>${t}</option>`)}
        </select></label>
        <label>y <select aria-label="Vertical axis" @change=${e=>this.#v({y:e.target.value,...a})}>${i(e.y)}</select></label>
        <label><input type="checkbox" aria-label="Vertical axis logarithmic" .checked=${e.y_log} @change=${e=>this.#v({y_log:e.target.checked})} />log</label>
        <label>x <select aria-label="Horizontal axis" @change=${e=>this.#v({x:e.target.value,...a})}>${i(e.x)}</select></label>
        <label><input type="checkbox" aria-label="Horizontal axis logarithmic" .checked=${e.x_log} @change=${e=>this.#v({x_log:e.target.checked})} />log</label>
        ${n?x`<button class="line" @click=${()=>this.#v(a)}>All values</button>`:S}
        <span class="space"></span>
        <span class="muted">${t?this.#y(t):``}</span>
        ${this.twinButton()}
      </div>
      ${this.app.run?.state===`ready`?this.#e.error?I(this.#e.error):this.isTwin?this.#S():this.#b():Rt()}`}#y(e){let t=e.fit&&e.fit.bytes_per_ns>0?` · fit ${O(Math.max(0,e.fit.latency_ns))} + bytes ÷ ${ut(e.fit.bytes_per_ns*1e9)} (R² ${e.fit.r2.toFixed(2)})`:``,n=this.current().of;return`${j(e.total)} ${n}${e.form===`density`?`, density`:``}${ts(e.basis,this.#e.done,n)}${t}`}#b(){let e=this.#e.value,{app:t}=this,n=e?.points,r=this.over,i=e?`${this.#a(e.y).title} against ${this.#a(e.x).title} of ${A(e.total)} ${this.current().of}`:`Scatter plot`;return x`<div class="plot" role="group" aria-label="Scatter plot" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${i}
        @pointerdown=${e=>this.#m(e)}
        @pointermove=${e=>this.#h(e)}
        @pointerup=${()=>this.#g()}
        @pointerleave=${()=>this.over=null}
      ></canvas>
      ${e&&e.total===0?x`<p class="note">No ${this.current().of} here have both values.</p>`:S}
      ${r&&n&&!this.drag?x`<div class="tip">
            <b>${t.names?.function(n.function[r.index])}</b> <span class="muted">rank ${t.worldRank(n.rank[r.index])}</span><br />
            ${this.#x(e.y,n.y[r.index])}; ${this.#x(e.x,n.x[r.index])}
          </div>`:S}
    </div>`}#x(e,t){let n=this.#a(e);return`${n.title.toLowerCase()} ${$(n,t,1)}`}#S(){let e=this.#e.value;if(!e)return x`<mp-vtable label="Scatter as a table" .columns=${[]} .count=${0} empty="…"></mp-vtable>`;let{app:t}=this,n=this.#a(e.x),r=this.#a(e.y);if(e.points){let i=e.points;return x`<mp-vtable
        label="Scatter as a table; Enter shows a call in the timeline"
        .columns=${[{id:`function`,title:`Function`,cell:e=>t.names?.function(i.function[e])??``},{id:`rank`,title:`Rank`,isNumber:!0,cell:e=>String(t.worldRank(i.rank[e]))},{id:`x`,title:n.title,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>$(n,i.x[e],1)},{id:`y`,title:r.title,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>$(r,i.y[e],1)}]}
        .count=${i.x.length}
        @activate=${e=>this.#_(e.detail)}
      ></mp-vtable>`}let i=e.density,a=[];i.count.forEach((e,t)=>e&&a.push(t)),a.sort((e,t)=>i.count[t]-i.count[e]);let o=(e,t,n)=>{let r=t=>e.isMoment?N(t,1e3):e.text?e.text(t):ft(t,e.unit);return`${r(Bt(e.scale,t/n))} – ${r(Bt(e.scale,(t+1)/n))}`};return x`<mp-vtable label="Scatter as a table of densities" .columns=${[{id:`count`,title:`Calls`,isNumber:!0,cell:e=>A(i.count[a[e]])},{id:`x`,title:n.title,isNumber:!0,width:`minmax(190px, 2fr)`,cell:e=>o(n,a[e]%i.width,i.width)},{id:`y`,title:r.title,isNumber:!0,width:`minmax(190px, 2fr)`,cell:e=>o(r,Math.floor(a[e]/i.width),i.height)},{id:`function`,title:`Commonest`,cell:e=>t.names?.function(i.function[a[e]])??``}]} .count=${a.length} .canActivate=${!1}></mp-vtable>`}};q([E()],ws.prototype,`drag`,void 0),q([E()],ws.prototype,`over`,void 0),ws=q([w(`mp-scatter`)],ws);var Ts=5e3,Es=[`count`,`total_ns`,`mean_ns`,`max_ns`,`bytes`],Ds=[{id:`count`,title:`Count`,text:A},{id:`total_ns`,title:`Total`,text:O},{id:`share`,title:`Share`,text:M,help:`Of the time of all ranks in the stretch`},{id:`mean_ns`,title:`Mean`,text:O},{id:`median_ns`,title:`Median`,text:O},{id:`min_ns`,title:`Min`,text:O},{id:`max_ns`,title:`Max`,text:O},{id:`p95_ns`,title:`P95`,text:O,help:`95 of 100 calls take at most so long`},{id:`p99_ns`,title:`P99`,text:O,help:`99 of 100 calls take at most so long`},{id:`sd_ns`,title:`SD`,text:O,help:`Standard deviation`},{id:`bytes`,title:`Bytes`,text:k}];function Os(e,t,n){let r=n?1:-1,i=/^key(\d)$/.exec(t),a=(e,n)=>{if(i){let t=Number(i[1]),[r,a]=[e.key[t],n.key[t]];return(r?.text??``).localeCompare(a?.text??``,`en`,{numeric:!0})}return(e[t]??0)-(n[t]??0)};return[...e].sort((e,t)=>r*a(e,t))}var ks=class extends C{static{this.styles=[D,$e,tt]}#e=new hi(this);constructor(){super(),new F(this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by:t,sort:n}=e.store.state.table,r={...e.scope,by:t,sort:Es.includes(n)?n:`total_ns`,limit:Ts};this.#e.update([r,e.growth],...is(e,r,(t,n)=>e.client.groups(t,n)))}#t(e,t){let n=this.app.store.state.table.by.split(`,`);t===``?n.splice(e,1):n[e]=t,this.app.store.set({table:{...this.app.store.state.table,by:[...new Set(n)].join(`,`)}})}#n(e){let{table:t}=this.app.store.state,n=t.sort===e?!t.ascending:e.startsWith(`key`)||e===`min_ns`;this.app.store.set({table:{...t,sort:e,ascending:n}})}#r(e){let{app:t}=this,n=t.store.state.table.by.split(`,`),r=t.run?.classes??[],i=e=>(t.run?.functions??[]).filter(t=>t.class===r[e]?.id).map(e=>e.id),a=t.store.state.filter,o=!1;n.forEach((t,n)=>{let r=e.key[n]?xi(t,e.key[n],i):null;r&&(a={...a,...r},o=!0)}),o?t.store.set({filter:a}):t.say(`Calls without such a value cannot be filtered by it.`)}render(){let{app:e}=this,{by:t,sort:n,ascending:r}=e.store.state.table,i=t.split(`,`),a=this.#e.value,o=a?Os(a.rows,n,r):[],s=[...i.map((e,t)=>({id:`key${t}`,title:bi(e),isSortable:!0,width:`minmax(130px, 2.5fr)`,cell:n=>this.#i(e,o[n],t)})),...Ds.map(({id:e,title:t,text:n,help:r})=>({id:e,title:t,isNumber:!0,isSortable:!0,...r?{help:r}:{},cell:t=>n(o[t][e])}))],c=yi.filter(t=>t.id!==`iteration`||e.run?.iterations).filter(t=>t.id!==`region`||e.run?.regions.length),l=(e,t)=>x`${t?x`<option value="" ?selected=${!e}>–</option>`:S}${c.map(t=>x`<option value=${t.id} ?selected=${t.id===e}>${t.title}</option>`)}`;return x`<div class="controls">
        <label>group by
          <select @change=${e=>this.#t(0,e.target.value)}>${l(i[0],!1)}</select></label>
        <label>and
          <select @change=${e=>this.#t(1,e.target.value)}>${l(i[1],!0)}</select></label>
        <span class="space"></span>
        <span class="muted">${a?a.is_cut?`the first ${A(a.rows.length)} of ${A(a.total)} groups`:`${A(a.total)} groups`:``}${ts(a?.basis,this.#e.done)}</span>
      </div>
      ${e.run?.state===`ready`?this.#e.error?I(this.#e.error):x`<mp-vtable
            label="Statistics of calls; Enter filters by a row"
            aria-busy=${this.#e.isBusy}
            .columns=${s}
            .count=${o.length}
            .sort=${{id:n,ascending:r}}
            empty=${this.#e.isBusy?`…`:`No calls here.`}
            @sort=${e=>this.#n(e.detail)}
            @activate=${e=>o[e.detail]&&this.#r(o[e.detail])}
          ></mp-vtable>`:Rt()}`}#i(e,t,n){let r=t.key[n];return r?e===`function`&&r.id!==null?x`${gi(this.app,r.id)} ${r.text}`:e===`bytes`&&r.id!==null?k(r.id):(e===`rank`||e===`peer`)&&r.id!==null?String(this.app.worldRank(r.id)):r.text||`none`:``}};q([T({attribute:!1})],ks.prototype,`app`,void 0),ks=q([w(`mp-table`)],ks);var As=class extends C{static{this.styles=[D,o`
      .bar {
        display: flex;
        gap: 8px;
        align-items: center;
        padding: 3px 10px;
        background: var(--accent-soft);
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      b {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        flex: 1;
        font-weight: 600;
      }
      button.line {
        min-height: 24px;
      }
    `]}constructor(){super(),new F(this)}render(){let{app:e}=this,{finding:t,selection:n}=e.store.state,r=t===null?null:e.report?.explanation?.findings[t]??null;if(!r||t===null)return S;let i=r.proof.findIndex(t=>n!==null&&e.rankOfWorld(t.rank)===n.rank&&t.row===n.row),a=n=>{let a=i<0?0:(i+n+r.proof.length)%r.proof.length;It(e,t,r.proof[a])};return x`<div class="bar" role="region" aria-label="Finding">
      <b title=${r.title}>${r.title}</b>
      ${r.proof.length?x`<span class="muted number">${i>=0?`place ${i+1} of ${r.proof.length}`:`${r.proof.length} places`}</span>
            <button class="line" @click=${()=>a(-1)}>Previous place</button>
            <button class="line" @click=${()=>a(1)}>Next place</button>`:S}
      <button class="line" @click=${()=>e.store.set({page:`overview`})}>All findings</button>
      <button class="line" aria-label="Close the finding" @click=${()=>e.store.set({finding:null})}>✕</button>
    </div>`}};q([T({attribute:!1})],As.prototype,`app`,void 0),As=q([w(`mp-proofs`)],As);function js(e,t){let n=[],{names:r,run:i}=e;if(t.functions){let e=t.functions.slice(0,3).map(e=>r?.function(e)??String(e));n.push({text:e.join(`, `)+(t.functions.length>3?` and ${t.functions.length-3} more`:``),without:{functions:null}})}t.ranks!==null&&n.push({text:`${/[-,]/.test(t.ranks)?`ranks`:`rank`} ${t.ranks}`,without:{ranks:null}}),t.host!==null&&n.push({text:`host ${i?.hosts[t.host]??t.host}`,without:{host:null}}),t.peer!==null&&n.push({text:`peer ${t.peer}`,without:{peer:null}}),t.peers!==null&&n.push({text:`peers ${t.peers}`,without:{peers:null}}),t.comm!==null&&n.push({text:r?.comm(t.comm)??`communicator ${t.comm}`,without:{comm:null}}),t.site!==null&&n.push({text:r?.site(t.site)||`call site ${t.site}`,without:{site:null}}),t.region!==null&&n.push({text:`region ${r?.region(t.region)??t.region}`,without:{region:null}}),t.tag!==null&&n.push({text:`tag ${t.tag}`,without:{tag:null}}),t.thread!==null&&n.push({text:`thread ${t.thread}`,without:{thread:null}}),t.iteration!==null&&n.push({text:`iteration ${A(t.iteration)}`,without:{iteration:null}});let a=(e,t,n)=>e!==null&&e===t?n(e):[e===null?``:`from ${n(e)}`,t===null?``:`to ${n(t)}`].filter(Boolean).join(` `);return(t.bytes_min!==null||t.bytes_max!==null)&&n.push({text:a(t.bytes_min,t.bytes_max,k),without:{bytes_min:null,bytes_max:null}}),(t.duration_min!==null||t.duration_max!==null)&&n.push({text:`duration ${a(t.duration_min,t.duration_max,O)}`,without:{duration_min:null,duration_max:null}}),n}var Ms=class extends C{static{this.styles=[D,o`
      :host {
        display: contents;
      }
      .chip {
        display: inline-flex;
        align-items: center;
        gap: 2px;
        background: var(--accent-soft);
        border: 1px solid var(--accent);
        border-radius: 13px;
        padding-left: 9px;
        font-size: 12px;
        max-width: 320px;
      }
      .chip span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .chip button {
        min-height: 24px;
        min-width: 24px;
        padding: 0;
        border-radius: 12px;
      }
    `]}constructor(){super(),new F(this)}render(){let{app:e}=this,{filter:t,hidden:n}=e.store.state,r=js(e,t);return!r.length&&!n.length?S:x`${r.map(t=>x`<span class="chip" title=${t.text}
        ><span>${t.text}</span
        ><button aria-label="Take the filter away: ${t.text}" @click=${()=>e.store.set({filter:{...e.store.state.filter,...t.without}})}>✕</button></span
      >`)}
    ${n.length?x`<span class="chip"
          ><span>${n.length} hidden</span><button aria-label="Show all hidden functions" @click=${()=>e.store.set({hidden:[]})}>✕</button></span
        >`:S}
    ${r.length>1?x`<button @click=${()=>e.store.set({filter:St,hidden:[]})}>Take all away</button>`:S}`}};q([T({attribute:!1})],Ms.prototype,`app`,void 0),Ms=q([w(`mp-filters`)],Ms);var Ns={messages:`Messages`,collectives:`Collectives`,waits:`Waits`,path:`Critical path`,regions:`Regions`},Ps=40,Fs=class extends C{static{this.styles=[D,o`
      .bar {
        display: flex;
        flex-wrap: wrap;
        gap: 3px 6px;
        align-items: center;
        padding: 3px 10px;
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      label {
        color: var(--muted);
        display: inline-flex;
        gap: 5px;
        align-items: center;
      }
      select {
        color: var(--text);
        max-width: 170px;
        min-height: 24px;
      }
      .set {
        display: inline-flex;
        border: 1px solid var(--line);
        border-radius: 6px;
        overflow: hidden;
      }
      .set button {
        border-radius: 0;
        min-height: 24px;
        border-right: 1px solid var(--line);
      }
      .set button:last-child {
        border-right: 0;
      }
      .set button:focus-visible {
        outline-offset: -2px;
      }
      .space {
        flex: 1;
      }
      button.line {
        min-height: 24px;
      }
    `]}constructor(){super(),new F(this)}#e(e){let{order:t}=this.app.store.state;return Y(Y(e,`ranks`,Xi(t,`ranks`)),`pin`,Xi(t,`pin`))}render(){let{app:e}=this,t=e.store.state,n=Y(Y(t.order,`ranks`,null),`pin`,null),r=Da.some(e=>e.order===n),{from:i,until:a}=e.window,o=e.run?.regions.slice(0,Ps)??[],s=xt.filter(t=>t!==`regions`||e.run?.regions.length);return x`<div class="bar" role="toolbar" aria-label="Timeline">
      <label
        >ranks
        <select
          aria-label="Order of ranks"
          @change=${t=>e.store.set({order:this.#e(t.target.value),row_from:null,row_until:null})}
        >
          ${Da.filter(t=>!t.order.includes(`host`)||(e.run?.hosts.length??0)>1||t.order===n).map(e=>x`<option value=${e.order} ?selected=${e.order===n}>${e.title}</option>`)}
          ${(e.run?.communicators??[]).filter(e=>e.size>1).slice(0,30).map(e=>x`<option value="group:comm:${e.id}" ?selected=${`group:comm:${e.id}`===n}>Together: ${e.name}</option>`)}
          ${o.map(e=>x`<option value="sort:region:${e.id}" ?selected=${`sort:region:${e.id}`===n}>By time in ${e.name}</option>`)}
          ${r||n.startsWith(`group:comm`)||o.some(e=>`sort:region:${e.id}`===n)?S:x`<option value=${n} selected>${n}</option>`}
        </select></label
      >
      <span class="set" role="group" aria-label="What is drawn over the timeline">
        ${s.map(n=>{let r=Pa.find(e=>e.id===`layer-${n}`);return x`<button aria-pressed=${t.layers.includes(n)} title="${Sa(n)} (${r.keys.map(Ui).join(`, `)})" @click=${()=>r.run(e)}>
            ${Ns[n]}
          </button>`})}
      </span>
      <button class="line" aria-pressed=${t.twins.includes(`timeline`)} @click=${()=>Na(e,`timeline`)}>As a table</button>
      ${Xi(t.order,`ranks`)===null?S:x`<button class="line" @click=${()=>Pa.find(e=>e.id===`all-ranks`).run(e)}>Show all ranks</button>`}
      <mp-filters .app=${e}></mp-filters>
      <span class="space"></span>
      <span class="muted number">${N(i,(a-i)/100)} + ${O(a-i)}</span>
      <button class="line" title="From the end of MPI_Init to MPI_Finalize (9)" ?disabled=${!fa(e)} @click=${()=>e.setWindow(fa(e),!1)}>
        Main part
      </button>
      <button class="line" ?disabled=${t.from===null&&t.row_from===null} @click=${()=>e.setWindow(e.whole,!1)}>Whole run</button>
    </div>`}};q([T({attribute:!1})],Fs.prototype,`app`,void 0),Fs=q([w(`mp-toolbar`)],Fs);var Is=`mpiscope.split`,Ls=.2,Rs=.85,zs=class extends C{static{this.styles=[D,st,o`
      :host {
        height: 100%;
        min-height: 0;
        display: grid;
        grid-template-rows: auto auto minmax(0, 1fr);
      }
      .area {
        display: grid;
        grid-template-columns: minmax(0, 1fr) 336px;
        min-height: 0;
      }
      .main {
        display: grid;
        grid-template-rows: minmax(0, var(--split, 55%)) 7px minmax(0, 1fr);
        min-height: 0;
        min-width: 0;
      }
      .timelines {
        display: grid;
        grid-auto-rows: minmax(0, 1fr);
        min-height: 0;
      }
      .run {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
        min-width: 0;
        position: relative;
      }
      .run + .run {
        border-top: 2px solid var(--line-strong);
      }
      .run > button {
        position: absolute;
        top: 2px;
        right: 12px;
        z-index: 2;
        min-height: 24px;
        max-width: 45%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        background: var(--panel);
        border-color: var(--line-strong);
        font-size: 12px;
        padding: 0 8px 0 2px;
      }
      .run > button[aria-pressed="true"] {
        background: var(--accent-soft);
        border-color: var(--accent);
      }
      .run mp-timeline {
        grid-row: 2;
      }
      .divider {
        background: var(--raised);
        border-block: 1px solid var(--line);
        cursor: row-resize;
        touch-action: none;
      }
      .divider:hover,
      .divider:focus-visible {
        background: var(--accent);
      }
      .panes {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        min-height: 0;
        background: var(--line);
        gap: 1px;
      }
      .panes.compared {
        grid-template-columns: minmax(0, 1.5fr) minmax(0, 1fr);
      }
      .pane,
      .box {
        display: flex;
        flex-direction: column;
        min-height: 0;
        min-width: 0;
        background: var(--panel);
      }
      .pane > div.content,
      .box > div.content {
        flex: 1;
        min-height: 0;
        overflow: hidden;
      }
      .tabs {
        display: flex;
        background: var(--raised);
        border-bottom: 1px solid var(--line);
        padding: 0 4px;
        align-items: center;
        min-height: 30px;
      }
      .tabs [role="tab"] {
        border-radius: 0;
        border: 0;
        border-bottom: 2px solid transparent;
        min-height: 29px;
        padding: 2px 9px;
        background: none;
        color: var(--muted);
      }
      .tabs [role="tab"][aria-selected="true"] {
        border-bottom-color: var(--accent);
        color: var(--text);
        font-weight: 600;
      }
      .tabs .space {
        flex: 1;
      }
      .tabs select {
        min-height: 24px;
        padding: 0 4px;
        font-size: 12px;
      }
      .side {
        border-left: 1px solid var(--line);
        display: grid;
        grid-template-rows: minmax(0, 1fr) minmax(0, 1.15fr);
        min-height: 0;
        background: var(--line);
        gap: 1px;
      }
      .title {
        font-size: 13px;
        padding: 0 9px;
      }
      @media (max-width: 1180px) {
        .area {
          grid-template-columns: minmax(0, 1fr) 272px;
        }
        .tabs [role="tab"] {
          padding: 2px 6px;
        }
      }
      @media (max-width: 1080px) {
        .panes {
          grid-template-columns: minmax(0, 1fr);
        }
        .panes .pane.right {
          display: none;
        }
      }
    `]}#e;#t;constructor(){super(),this.split=Number(Za(Is))||.55,this.tab=`call`,this.#e=``,this.#t=``,new F(this,()=>this.#n())}#n(){let{area:e,selection:t}=this.app.store.state,n=JSON.stringify(e),r=JSON.stringify(t);n!==this.#e&&e?this.tab=`area`:r!==this.#t&&t&&(this.tab=`call`),this.#e=n,this.#t=r}#r(e){this.split=Math.max(Ls,Math.min(Rs,e)),Qa(Is,String(this.split))}#i(e){if(!e.buttons)return;let t=this.renderRoot.querySelector(`.main`).getBoundingClientRect();this.#r((e.clientY-t.top)/t.height)}#a(e){if(e.key===`ArrowUp`)this.#r(this.split-.04);else if(e.key===`ArrowDown`)this.#r(this.split+.04);else return;e.preventDefault()}updated(){this.renderRoot.querySelector(`.main`)?.style.setProperty(`--split`,`${(this.split*100).toFixed(1)}%`)}render(){let{app:e}=this;return x`<mp-toolbar .app=${e}></mp-toolbar>
      <mp-proofs .app=${e}></mp-proofs>
      <div class="area">
        <div class="main">
          ${this.#o()}
          <div
            class="divider"
            role="separator"
            tabindex="0"
            aria-orientation="horizontal"
            aria-label="Height of the timeline"
            aria-valuenow=${Math.round(this.split*100)}
            aria-valuemin=${Ls*100}
            aria-valuemax=${Rs*100}
            @pointerdown=${e=>e.currentTarget.setPointerCapture(e.pointerId)}
            @pointermove=${e=>this.#i(e)}
            @keydown=${e=>this.#a(e)}
          ></div>
          <div class="panes ${e.comparison.isTwo&&e.store.state.left===`differences`?`compared`:``}">${this.#c(`left`)} ${this.#c(`right`)}</div>
        </div>
        <aside class="side" aria-label="Legend and selection">
          <section class="box" aria-label="Legend">
            <div class="tabs"><h2 class="title">Legend ${at(e)}</h2></div>
            <div class="content">${Qe(e.side,x`<mp-legend .app=${e}></mp-legend>`)}</div>
          </section>
          <section class="box" aria-label="Selection">
            ${this.#s(`Selection`,[[`call`,`Selected call`],[`area`,`Selected area`]],this.tab,e=>this.tab=e,at(e))}
            <div class="content" role="tabpanel" aria-label=${this.tab===`call`?`Selected call`:`Selected area`}>
              ${Qe(e.side,this.tab===`call`?x`<mp-inspector .app=${e}></mp-inspector>`:x`<mp-area .app=${e}></mp-area>`)}
            </div>
          </section>
        </aside>
      </div>`}#o(){let{app:e}=this,{comparison:t}=e;return t.isTwo?x`<div class="timelines">
      ${t.apps.map(e=>{let n=Bi(e);return x`<section class="run" aria-label="${it[e.side]}: ${e.run?.name??``}">
          <button aria-pressed=${e.side===t.about} title="Let the panes be about this run (J)" @click=${()=>t.show(e.side)}>${ot(e)}</button>
          ${n?x`<div class="error" role="alert"><b>This run cannot be shown.</b> ${n}</div>`:x`<mp-timeline .app=${e}></mp-timeline>`}
        </section>`})}
    </div>`:x`<mp-timeline .app=${e}></mp-timeline>`}#s(e,t,n,r,i=``){return x`<div class="tabs">
      <div role="tablist" aria-label=${e} @keydown=${e=>{let i=e.key===`ArrowRight`?1:e.key===`ArrowLeft`?-1:0;if(!i)return;e.preventDefault();let a=(t.findIndex(([e])=>e===n)+i+t.length)%t.length;r(t[a][0]),e.currentTarget.querySelectorAll(`[role="tab"]`)[a]?.focus()}}>
        ${t.map(([e,t])=>x`<button role="tab" aria-selected=${e===n} tabindex=${e===n?0:-1} @click=${()=>r(e)}>${t}</button>`)}
      </div>
      ${i}
    </div>`}#c(e){let{app:t}=this,n=t.store.state[e],r=n===`differences`&&!t.comparison.isTwo?`table`:n,i=r===`differences`?S:at(t),a=e===`left`?x`<span class="space"></span>${i}
            ${t.store.state.area?x`<span class="muted">selected area</span>`:x`<select aria-label="What the panes are about" @change=${e=>t.store.set({scope:e.target.value})}>
                  <option value="window" ?selected=${t.store.state.scope===`window`}>in sight</option>
                  <option value="run" ?selected=${t.store.state.scope===`run`}>whole run</option>
                </select>`}`:x`<span class="space"></span>${i}`;return x`<section class="pane ${e}" aria-label="${e===`left`?`Left`:`Right`} pane">
      ${this.#s(`${e===`left`?`Left`:`Right`} pane`,bt.filter(e=>e!==`differences`||t.comparison.isTwo).map(e=>[e,wa(e)]),r,n=>t.store.set({[e]:n}),a)}
      <div class="content" role="tabpanel" aria-label=${wa(r)}>${Qe(t.side,this.#l(r))}</div>
    </section>`}#l(e){let{app:t}=this;return e===`scatter`?x`<mp-scatter .app=${t}></mp-scatter>`:e===`histogram`?x`<mp-histogram .app=${t}></mp-histogram>`:e===`matrix`?x`<mp-matrix .app=${t}></mp-matrix>`:e===`differences`?x`<mp-differences .app=${t}></mp-differences>`:e===`events`?x`<mp-events .app=${t}></mp-events>`:x`<mp-table .app=${t}></mp-table>`}};q([T({attribute:!1})],zs.prototype,`app`,void 0),q([E()],zs.prototype,`split`,void 0),q([E()],zs.prototype,`tab`,void 0),zs=q([w(`mp-views`)],zs);var Bs=class extends C{static{this.styles=[D,st,o`
      :host {
        display: grid;
        grid-template-rows: 44px auto auto minmax(0, 1fr) 22px;
        height: 100vh;
      }
      header {
        display: flex;
        align-items: center;
        gap: 12px;
        padding: 0 12px;
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        min-width: 0;
      }
      h1 {
        font-size: 14px;
        white-space: nowrap;
        overflow: hidden;
        text-overflow: ellipsis;
        min-width: 60px;
      }
      .facts {
        color: var(--muted);
        white-space: nowrap;
        overflow: hidden;
        text-overflow: ellipsis;
        flex: 1;
        min-width: 0;
      }
      nav {
        display: flex;
        gap: 2px;
      }
      nav button[aria-current="page"] {
        background: var(--accent-soft);
        font-weight: 600;
      }
      main {
        position: relative;
        min-height: 0;
        overflow: hidden;
      }
      footer {
        display: flex;
        gap: 14px;
        align-items: center;
        padding: 0 12px;
        background: var(--panel);
        border-top: 1px solid var(--line);
        font-size: 11px;
        color: var(--muted);
        white-space: nowrap;
        overflow: hidden;
      }
      footer [role="status"] {
        color: var(--text);
        flex: 1;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .building {
        display: flex;
        align-items: center;
        gap: 10px;
        padding: 5px 12px;
        background: var(--accent-soft);
        border-bottom: 1px solid var(--line);
      }
      progress {
        width: 240px;
        accent-color: var(--accent);
      }
      .state {
        max-width: 640px;
        margin: 12vh auto 0;
        padding: 20px 24px;
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 10px;
      }
      .state h2 {
        font-size: 16px;
      }
      .state p {
        margin: 8px 0 0;
        overflow-wrap: anywhere;
      }
      .skip {
        position: absolute;
        left: 8px;
        top: -60px;
        background: var(--panel);
        padding: 6px 10px;
        z-index: 9;
        border: 1px solid var(--line-strong);
      }
      .skip:focus {
        top: 6px;
      }
      @media (max-width: 1100px) {
        header .wide {
          display: none;
        }
      }
    `]}constructor(){super(),this.isStarted=!1;let e=Bo(document),t=new Ho(Vo);this.comparison=new fo(e,t),e instanceof No&&!window.location.hash&&e.view().then(e=>e&&!window.location.hash&&t.correct(aa(e)),()=>{}),new F(this)}get app(){return this.comparison.app}connectedCallback(){if(super.connectedCallback(),this.isStarted)return;this.isStarted=!0,this.replaceChildren();let e=()=>this.comparison.store.restore();window.addEventListener(`popstate`,e),window.addEventListener(`hashchange`,e),Ji(()=>this.app,Pa),this.comparison.start()}render(){let{app:e}=this,{run:t}=e,{page:n}=e.store.state;return x`<header>
        <button class="skip" @click=${()=>this.renderRoot.querySelector(`main`)?.focus()}>To the content</button>
        <h1 title=${t?.command.join(` `)??``}>${this.#e()}</h1>
        <nav aria-label="Pages">
          <button aria-current=${n===`overview`?`page`:S} @click=${()=>e.store.set({page:`overview`})}>Overview</button>
          ${this.comparison.isTwo?x`<button aria-current=${n===`compare`?`page`:S} @click=${()=>e.store.set({page:`compare`})}>Compare</button>`:S}
          <button aria-current=${n===`views`?`page`:S} @click=${()=>e.store.set({page:`views`})}>Timeline</button>
        </nav>
        <span class="facts number">${t?this.#t():`opening the run …`}</span>
        ${e.launch?x`<a class="launch" href=${e.launch}>Launch</a>`:S}
        <button class="line wide" @click=${()=>e.open(`find`)}>Search <kbd aria-hidden="true">/</kbd></button>
        <button class="line wide" @click=${()=>e.open(`palette`)}>Commands <kbd aria-hidden="true">Ctrl+Shift+P</kbd></button>
        <button class="line" aria-label="Keys and mouse" title="Keys and mouse (?)" @click=${()=>e.open(`help`)}>?</button>
        <button class="line" @click=${()=>e.setTheme(e.theme===`dark`?`light`:`dark`)}>${e.theme===`dark`?`Light`:`Dark`}</button>
      </header>
      ${this.#n()}
      ${this.comparison.isTwo&&n!==`compare`?x`<mp-runs-bar .app=${e}></mp-runs-bar>`:x`<div></div>`}
      <main id="main" tabindex="-1">${this.#r()} ${e.dialog===`find`?x`<mp-find .app=${e}></mp-find>`:S}</main>
      <footer>
        <span role="status" aria-live="polite">${e.message}</span>
        <span>${e.client.isExported?`exported by mpiscope: not all of the run is here`:`mpiscope`}</span>
      </footer>
      ${e.dialog===`palette`?x`<mp-palette .app=${e}></mp-palette>`:S} ${e.dialog===`help`?x`<mp-help .app=${e}></mp-help>`:S}`}#e(){let{apps:e,isTwo:t}=this.comparison;return t?x`${e.map((e,t)=>x`${t?` → `:``}${ot(e)}`)}`:this.app.run?.name??`mpiscope`}#t(){let e=this.app.run;return this.comparison.isTwo&&this.comparison.store.state.page===`compare`?this.comparison.apps.map(e=>e.run?O(e.run.until_ns-e.run.from_ns):`–`).join(` → `):[e.mpi?.split(`,`)[0],`${A(e.ranks.count)} ${e.ranks.count===1?`rank`:`ranks`}`,e.hosts.length>1?`${A(e.hosts.length)} hosts`:null,e.calls||!e.files?`${j(e.calls)} calls`:null,O(e.until_ns-e.from_ns)].filter(Boolean).join(` · `)}#n(){let{apps:e,isTwo:t}=this.comparison,n=e.filter(e=>e.run?.files&&e.run.state!==`failed`),r=e.filter(e=>e.run?.state===`building`&&!e.run.files),i=e.filter(e=>e.run?.state===`ready`&&e.run.is_writing);return!n.length&&!r.length&&!i.length?x`<div></div>`:x`<div class="building" role="region" aria-label="Progress">
      ${n.map(({run:e})=>{let{read:n,of:r}=e.files;return x`<progress max=${r} .value=${n} aria-label="How many rank files of ${e.name} are read"></progress>
          <span
            >reading ${A(r)} rank ${r===1?`file`:`files`}${t?` of ${e.name}`:``}: ${Math.floor(100*n/Math.max(1,r))} %.
            ${e.state===`ready`?`Timeline, tables and plots are there; the report comes then.`:`Then there is something to be seen.`}</span
          >`})}
      ${r.map(({run:e})=>x`<progress max="1" .value=${e.done} aria-label="How much of ${e.name} is read"></progress>
          <span>${t?`${e.name} is`:`The run is`} being read: ${Math.round(e.done*100)} %. What there is can be looked at already.</span>`)}
      ${i.map(({run:e})=>x`<span
          >${t?`The program of ${e.name}`:`The program`} still runs. More of it comes by itself, every few seconds and when it
          has ended.</span
        >`)}
    </div>`}#r(){let{app:e}=this,{run:t}=e,{page:n}=e.store.state;return n===`compare`?x`<mp-compare .app=${e}></mp-compare>`:n===`views`&&this.comparison.isTwo&&this.comparison.apps.every(e=>e.run)?this.#i():e.error?this.#a(`This run cannot be shown`,e.error.message,e.error.next):t?t.state===`failed`?this.#a(`This run cannot be shown`,t.failure?.what??`Reading it failed`,t.failure?.next??`See what mpiscope says in its terminal.`):n===`overview`?x`${Qe(e.side,x`<mp-overview .app=${e}></mp-overview>`)}`:this.#i():x`<p class="note" role="status">Opening the run …</p>`}#i(){let{run:e}=this.app;return e.state===`ready`&&e.calls===0&&!e.files&&!this.comparison.isTwo?this.#a(`No MPI call was recorded`,`The program of this run called no MPI function that was recorded: perhaps it ended before MPI_Init, or it is linked statically.`,`mpiscope doctor PROGRAM says what would be recorded.`):x`<mp-views .app=${this.app}></mp-views>`}#a(e,t,n){return x`<section class="state" role="alert">
      <h2>${e}</h2>
      <p>${t}</p>
      <p class="muted">${n}</p>
    </section>`}};q([E()],Bs.prototype,`isStarted`,void 0),Bs=q([w(`mp-app`)],Bs);
var e=globalThis,t=e.ShadowRoot&&(e.ShadyCSS===void 0||e.ShadyCSS.nativeShadow)&&`adoptedStyleSheets`in Document.prototype&&`replace`in CSSStyleSheet.prototype,n=Symbol(),r=new WeakMap,i=class{constructor(e,t,r){if(this._$cssResult$=!0,r!==n)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=t}get styleSheet(){let e=this.o,n=this.t;if(t&&e===void 0){let t=n!==void 0&&n.length===1;t&&(e=r.get(n)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),t&&r.set(n,e))}return e}toString(){return this.cssText}},a=e=>new i(typeof e==`string`?e:e+``,void 0,n),o=(e,...t)=>new i(e.length===1?e[0]:t.reduce((t,n,r)=>t+(e=>{if(!0===e._$cssResult$)return e.cssText;if(typeof e==`number`)return e;throw Error(`Value passed to 'css' function must be a 'css' function result: `+e+`. Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.`)})(n)+e[r+1],e[0]),e,n),s=(n,r)=>{if(t)n.adoptedStyleSheets=r.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let t of r){let r=document.createElement(`style`),i=e.litNonce;i!==void 0&&r.setAttribute(`nonce`,i),r.textContent=t.cssText,n.appendChild(r)}},c=t?e=>e:e=>e instanceof CSSStyleSheet?(e=>{let t=``;for(let n of e.cssRules)t+=n.cssText;return a(t)})(e):e,{is:l,defineProperty:u,getOwnPropertyDescriptor:d,getOwnPropertyNames:ee,getOwnPropertySymbols:te,getPrototypeOf:ne}=Object,f=globalThis,re=f.trustedTypes,ie=re?re.emptyScript:``,ae=f.reactiveElementPolyfillSupport,p=(e,t)=>e,m={toAttribute(e,t){switch(t){case Boolean:e=e?ie:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},h=(e,t)=>!l(e,t),g={attribute:!0,type:String,converter:m,reflect:!1,useDefault:!1,hasChanged:h};Symbol.metadata??=Symbol(`metadata`),f.litPropertyMetadata??=new WeakMap;var _=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,t=g){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((t=Object.create(t)).wrapped=!0),this.elementProperties.set(e,t),!t.noAccessor){let n=Symbol(),r=this.getPropertyDescriptor(e,n,t);r!==void 0&&u(this.prototype,e,r)}}static getPropertyDescriptor(e,t,n){let{get:r,set:i}=d(this.prototype,e)??{get(){return this[t]},set(e){this[t]=e}};return{get:r,set(t){let a=r?.call(this);i?.call(this,t),this.requestUpdate(e,a,n)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??g}static _$Ei(){if(this.hasOwnProperty(p(`elementProperties`)))return;let e=ne(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(p(`finalized`)))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(p(`properties`))){let e=this.properties,t=[...ee(e),...te(e)];for(let n of t)this.createProperty(n,e[n])}let e=this[Symbol.metadata];if(e!==null){let t=litPropertyMetadata.get(e);if(t!==void 0)for(let[e,n]of t)this.elementProperties.set(e,n)}this._$Eh=new Map;for(let[e,t]of this.elementProperties){let n=this._$Eu(e,t);n!==void 0&&this._$Eh.set(n,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let t=[];if(Array.isArray(e)){let n=new Set(e.flat(1/0).reverse());for(let e of n)t.unshift(c(e))}else e!==void 0&&t.push(c(e));return t}static _$Eu(e,t){let n=t.attribute;return!1===n?void 0:typeof n==`string`?n:typeof e==`string`?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,t=this.constructor.elementProperties;for(let n of t.keys())this.hasOwnProperty(n)&&(e.set(n,this[n]),delete this[n]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return s(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,t,n){this._$AK(e,n)}_$ET(e,t){let n=this.constructor.elementProperties.get(e),r=this.constructor._$Eu(e,n);if(r!==void 0&&!0===n.reflect){let i=(n.converter?.toAttribute===void 0?m:n.converter).toAttribute(t,n.type);this._$Em=e,i==null?this.removeAttribute(r):this.setAttribute(r,i),this._$Em=null}}_$AK(e,t){let n=this.constructor,r=n._$Eh.get(e);if(r!==void 0&&this._$Em!==r){let e=n.getPropertyOptions(r),i=typeof e.converter==`function`?{fromAttribute:e.converter}:e.converter?.fromAttribute===void 0?m:e.converter;this._$Em=r;let a=i.fromAttribute(t,e.type);this[r]=a??this._$Ej?.get(r)??a,this._$Em=null}}requestUpdate(e,t,n,r=!1,i){if(e!==void 0){let a=this.constructor;if(!1===r&&(i=this[e]),n??=a.getPropertyOptions(e),!((n.hasChanged??h)(i,t)||n.useDefault&&n.reflect&&i===this._$Ej?.get(e)&&!this.hasAttribute(a._$Eu(e,n))))return;this.C(e,t,n)}!1===this.isUpdatePending&&(this._$ES=this._$EP())}C(e,t,{useDefault:n,reflect:r,wrapped:i},a){n&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,a??t??this[e]),!0!==i||a!==void 0)||(this._$AL.has(e)||(this.hasUpdated||n||(t=void 0),this._$AL.set(e,t)),!0===r&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[e,t]of this._$Ep)this[e]=t;this._$Ep=void 0}let e=this.constructor.elementProperties;if(e.size>0)for(let[t,n]of e){let{wrapped:e}=n,r=this[t];!0!==e||this._$AL.has(t)||r===void 0||this.C(t,void 0,n,r)}}let e=!1,t=this._$AL;try{e=this.shouldUpdate(t),e?(this.willUpdate(t),this._$EO?.forEach(e=>e.hostUpdate?.()),this.update(t)):this._$EM()}catch(t){throw e=!1,this._$EM(),t}e&&this._$AE(t)}willUpdate(e){}_$AE(e){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(e){}firstUpdated(e){}};_.elementStyles=[],_.shadowRootOptions={mode:`open`},_[p(`elementProperties`)]=new Map,_[p(`finalized`)]=new Map,ae?.({ReactiveElement:_}),(f.reactiveElementVersions??=[]).push(`2.1.2`);var v=globalThis,y=e=>e,b=v.trustedTypes,x=b?b.createPolicy(`lit-html`,{createHTML:e=>e}):void 0,oe=`$lit$`,S=`lit$${Math.random().toFixed(9).slice(2)}$`,se=`?`+S,ce=`<${se}>`,C=document,w=()=>C.createComment(``),T=e=>e===null||typeof e!=`object`&&typeof e!=`function`,E=Array.isArray,le=e=>E(e)||typeof e?.[Symbol.iterator]==`function`,D=`[ 	
\f\r]`,O=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,k=/-->/g,A=/>/g,j=RegExp(`>|${D}(?:([^\\s"'>=/]+)(${D}*=${D}*(?:[^ \t\n\f\r"'\`<>=]|("|')|))|$)`,`g`),M=/'/g,N=/"/g,P=/^(?:script|style|textarea|title)$/i,F=(e=>(t,...n)=>({_$litType$:e,strings:t,values:n}))(1),I=Symbol.for(`lit-noChange`),L=Symbol.for(`lit-nothing`),R=new WeakMap,z=C.createTreeWalker(C,129);function B(e,t){if(!E(e)||!e.hasOwnProperty(`raw`))throw Error(`invalid template strings array`);return x===void 0?t:x.createHTML(t)}var ue=(e,t)=>{let n=e.length-1,r=[],i,a=t===2?`<svg>`:t===3?`<math>`:``,o=O;for(let t=0;t<n;t++){let n=e[t],s,c,l=-1,u=0;for(;u<n.length&&(o.lastIndex=u,c=o.exec(n),c!==null);)u=o.lastIndex,o===O?c[1]===`!--`?o=k:c[1]===void 0?c[2]===void 0?c[3]!==void 0&&(o=j):(P.test(c[2])&&(i=RegExp(`</`+c[2],`g`)),o=j):o=A:o===j?c[0]===`>`?(o=i??O,l=-1):c[1]===void 0?l=-2:(l=o.lastIndex-c[2].length,s=c[1],o=c[3]===void 0?j:c[3]===`"`?N:M):o===N||o===M?o=j:o===k||o===A?o=O:(o=j,i=void 0);let d=o===j&&e[t+1].startsWith(`/>`)?` `:``;a+=o===O?n+ce:l>=0?(r.push(s),n.slice(0,l)+oe+n.slice(l)+S+d):n+S+(l===-2?t:d)}return[B(e,a+(e[n]||`<?>`)+(t===2?`</svg>`:t===3?`</math>`:``)),r]},V=class e{constructor({strings:t,_$litType$:n},r){let i;this.parts=[];let a=0,o=0,s=t.length-1,c=this.parts,[l,u]=ue(t,n);if(this.el=e.createElement(l,r),z.currentNode=this.el.content,n===2||n===3){let e=this.el.content.firstChild;e.replaceWith(...e.childNodes)}for(;(i=z.nextNode())!==null&&c.length<s;){if(i.nodeType===1){if(i.hasAttributes())for(let e of i.getAttributeNames())if(e.endsWith(oe)){let t=u[o++],n=i.getAttribute(e).split(S),r=/([.?@])?(.*)/.exec(t);c.push({type:1,index:a,name:r[2],strings:n,ctor:r[1]===`.`?fe:r[1]===`?`?pe:r[1]===`@`?me:W}),i.removeAttribute(e)}else e.startsWith(S)&&(c.push({type:6,index:a}),i.removeAttribute(e));if(P.test(i.tagName)){let e=i.textContent.split(S),t=e.length-1;if(t>0){i.textContent=b?b.emptyScript:``;for(let n=0;n<t;n++)i.append(e[n],w()),z.nextNode(),c.push({type:2,index:++a});i.append(e[t],w())}}}else if(i.nodeType===8){if(i.data===se)c.push({type:2,index:a});else{let e=-1;for(;(e=i.data.indexOf(S,e+1))!==-1;)c.push({type:7,index:a}),e+=S.length-1}}a++}}static createElement(e,t){let n=C.createElement(`template`);return n.innerHTML=e,n}};function H(e,t,n=e,r){if(t===I)return t;let i=r===void 0?n._$Cl:n._$Co?.[r],a=T(t)?void 0:t._$litDirective$;return i?.constructor!==a&&(i?._$AO?.(!1),a===void 0?i=void 0:(i=new a(e),i._$AT(e,n,r)),r===void 0?n._$Cl=i:(n._$Co??=[])[r]=i),i!==void 0&&(t=H(e,i._$AS(e,t.values),i,r)),t}var de=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:n}=this._$AD,r=(e?.creationScope??C).importNode(t,!0);z.currentNode=r;let i=z.nextNode(),a=0,o=0,s=n[0];for(;s!==void 0;){if(a===s.index){let t;s.type===2?t=new U(i,i.nextSibling,this,e):s.type===1?t=new s.ctor(i,s.name,s.strings,this,e):s.type===6&&(t=new he(i,this,e)),this._$AV.push(t),s=n[++o]}a!==s?.index&&(i=z.nextNode(),a++)}return z.currentNode=C,r}p(e){let t=0;for(let n of this._$AV)n!==void 0&&(n.strings===void 0?n._$AI(e[t]):(n._$AI(e,n,t),t+=n.strings.length-2)),t++}},U=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,n,r){this.type=2,this._$AH=L,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=n,this.options=r,this._$Cv=r?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=H(this,e,t),T(e)?e===L||e==null||e===``?(this._$AH!==L&&this._$AR(),this._$AH=L):e!==this._$AH&&e!==I&&this._(e):e._$litType$===void 0?e.nodeType===void 0?le(e)?this.k(e):this._(e):this.T(e):this.$(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==L&&T(this._$AH)?this._$AA.nextSibling.data=e:this.T(C.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:n}=e,r=typeof n==`number`?this._$AC(e):(n.el===void 0&&(n.el=V.createElement(B(n.h,n.h[0]),this.options)),n);if(this._$AH?._$AD===r)this._$AH.p(t);else{let e=new de(r,this),n=e.u(this.options);e.p(t),this.T(n),this._$AH=e}}_$AC(e){let t=R.get(e.strings);return t===void 0&&R.set(e.strings,t=new V(e)),t}k(t){E(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,i=0;for(let a of t)i===n.length?n.push(r=new e(this.O(w()),this.O(w()),this,this.options)):r=n[i],r._$AI(a),i++;i<n.length&&(this._$AR(r&&r._$AB.nextSibling,i),n.length=i)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let t=y(e).nextSibling;y(e).remove(),e=t}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},W=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,n,r,i){this.type=1,this._$AH=L,this._$AN=void 0,this.element=e,this.name=t,this._$AM=r,this.options=i,n.length>2||n[0]!==``||n[1]!==``?(this._$AH=Array(n.length-1).fill(new String),this.strings=n):this._$AH=L}_$AI(e,t=this,n,r){let i=this.strings,a=!1;if(i===void 0)e=H(this,e,t,0),a=!T(e)||e!==this._$AH&&e!==I,a&&(this._$AH=e);else{let r=e,o,s;for(e=i[0],o=0;o<i.length-1;o++)s=H(this,r[n+o],t,o),s===I&&(s=this._$AH[o]),a||=!T(s)||s!==this._$AH[o],s===L?e=L:e!==L&&(e+=(s??``)+i[o+1]),this._$AH[o]=s}a&&!r&&this.j(e)}j(e){e===L?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??``)}},fe=class extends W{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===L?void 0:e}},pe=class extends W{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==L)}},me=class extends W{constructor(e,t,n,r,i){super(e,t,n,r,i),this.type=5}_$AI(e,t=this){if((e=H(this,e,t,0)??L)===I)return;let n=this._$AH,r=e===L&&n!==L||e.capture!==n.capture||e.once!==n.once||e.passive!==n.passive,i=e!==L&&(n===L||r);r&&this.element.removeEventListener(this.name,this,n),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH==`function`?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},he=class{constructor(e,t,n){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=n}get _$AU(){return this._$AM._$AU}_$AI(e){H(this,e)}},ge=v.litHtmlPolyfillSupport;ge?.(V,U),(v.litHtmlVersions??=[]).push(`3.3.3`);var _e=(e,t,n)=>{let r=n?.renderBefore??t,i=r._$litPart$;if(i===void 0){let e=n?.renderBefore??null;r._$litPart$=i=new U(t.insertBefore(w(),e),e,void 0,n??{})}return i._$AI(e),i},G=globalThis,K=class extends _{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=_e(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return I}};K._$litElement$=!0,K.finalized=!0,G.litElementHydrateSupport?.({LitElement:K});var ve=G.litElementPolyfillSupport;ve?.({LitElement:K}),(G.litElementVersions??=[]).push(`4.2.2`);var ye=e=>(t,n)=>{n===void 0?customElements.define(e,t):n.addInitializer(()=>{customElements.define(e,t)})},be={attribute:!0,type:String,converter:m,reflect:!1,hasChanged:h},xe=(e=be,t,n)=>{let{kind:r,metadata:i}=n,a=globalThis.litPropertyMetadata.get(i);if(a===void 0&&globalThis.litPropertyMetadata.set(i,a=new Map),r===`setter`&&((e=Object.create(e)).wrapped=!0),a.set(n.name,e),r===`accessor`){let{name:r}=n;return{set(n){let i=t.get.call(this);t.set.call(this,n),this.requestUpdate(r,i,e,!0,n)},init(t){return t!==void 0&&this.C(r,void 0,e,t),t}}}if(r===`setter`){let{name:r}=n;return function(n){let i=this[r];t.call(this,n),this.requestUpdate(r,i,e,!0,n)}}throw Error(`Unsupported decorator location: `+r)};function Se(e){return(t,n)=>typeof n==`object`?xe(e,t,n):((e,t,n)=>{let r=t.hasOwnProperty(n);return t.constructor.createProperty(n,e),r?Object.getOwnPropertyDescriptor(t,n):void 0})(e,t,n)}function q(e){return Se({...e,state:!0,attribute:!1})}var Ce=o`
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
`;o`
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
    text-overflow: ellipsis;
  }
  .controls .space {
    flex: 1;
  }
`,o`
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
`,o`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
  mp-vtable {
    flex: 1;
  }
`,o`
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
    gap: 10px;
    justify-content: space-between;
    align-items: baseline;
  }
  h2 mp-save {
    margin: -4px 0;
    font-weight: 400;
  }
  h2 .muted {
    font-weight: 400;
    font-size: 12px;
  }
`,o`
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
`;function we(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}function Te(e,t,n){let r=0,i=e;for(;Math.abs(i)>=t-.5&&r<n.length-1;)i/=t,r++;return`${r===0&&Number.isInteger(i)?String(i):we(i)} ${n[r]}`}function Ee(e){return Number.isFinite(e)?e===0?`0 s`:Te(e,1e3,[`ns`,`µs`,`ms`,`s`]):`–`}var J=class extends Error{constructor(e,t,n){super(t),this.status=e,this.next=n}};function Y(e){return e instanceof J?e:e instanceof TypeError?new J(0,`mpiscope does not answer`,"Check in the terminal whether `mpiscope view` is still running. If it has ended, start it again and open the address that it prints."):new J(0,e instanceof Error?e.message:String(e),`Reload this page.`)}async function X(e,t){let n;try{n=await fetch(`api/launch/${e}`,t?{method:`POST`,headers:{"content-type":`application/json`},body:JSON.stringify(t)}:{cache:`no-store`})}catch(e){throw Y(e)}let r=await n.json().catch(()=>null);if(n.ok&&r)return r;throw new J(n.status,r?.error?.what??`mpiscope answered ${n.status}`,r?.error?.next??`Reload this page.`)}var De=()=>X(`form`),Oe=e=>X(`progress?after=${e}`),ke=e=>X(`check`,e),Ae=(e,t)=>X(`start`,{code:e,ticket:t}),je=e=>X(`stop`,{code:e}),Me=1<<20,Z=class{constructor(){this.text=``,this.until=0,this.isCut=!1}add(e){e.from>this.until&&(this.isCut=!0),this.text=e.from<this.until?e.output:this.text+e.output,this.text.length>Me&&(this.text=this.text.slice(-524288),this.isCut=!0),this.until=e.until}};function Ne(e){return e.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g,``).replace(/\r\n/g,`
`).replace(/[^\n]*\r(?=[^\n])/g,``)}function Q(e,t,n,r){var i=arguments.length,a=i<3?t:r===null?r=Object.getOwnPropertyDescriptor(t,n):r,o;if(typeof Reflect==`object`&&typeof Reflect.decorate==`function`)a=Reflect.decorate(e,t,n,r);else for(var s=e.length-1;s>=0;s--)(o=e[s])&&(a=(i<3?o(a):i>3?o(t,n,a):o(t,n))||a);return i>3&&a&&Object.defineProperty(t,n,a),a}var Pe=300,Fe=`mpiscope.theme`,Ie=`mpiscope.launch`,$=class extends K{constructor(...e){super(...e),this.form=null,this.checked=null,this.progress=null,this.error=null,this.isAsking=!1,this.#e=``,this.#t=new Z,this.#n=0,this.#r=0,this.#i=null}static{this.styles=[Ce,o`
      :host {
        display: grid;
        grid-template-rows: 44px minmax(0, 1fr);
        height: 100vh;
      }
      header {
        display: flex;
        gap: 14px;
        align-items: center;
        padding: 0 14px;
        background: var(--panel);
        border-bottom: 1px solid var(--line);
      }
      h1 {
        font-size: 14px;
      }
      main {
        overflow: auto;
        padding: 16px;
        display: grid;
        gap: 14px;
        align-content: start;
        justify-items: center;
      }
      form:not(.line) {
        display: grid;
        gap: 10px;
      }
      section p {
        margin: 0;
      }
      section {
        width: min(860px, 100%);
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 10px;
        padding: 14px 18px;
        display: grid;
        gap: 10px;
      }
      h2 {
        font-size: 15px;
      }
      label {
        display: grid;
        align-content: start;
        justify-items: start;
        gap: 3px;
      }
      .wide input {
        width: 100%;
        font-family: var(--mono);
      }
      .options {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(250px, 1fr));
        gap: 10px 16px;
        padding-top: 8px;
      }
      .options small,
      label small {
        color: var(--muted);
        font-size: 11px;
      }
      .options input,
      .options select {
        width: 100%;
      }
      summary {
        cursor: pointer;
        min-height: 24px;
        font-weight: 600;
      }
      .line {
        display: flex;
        gap: 10px;
        flex-wrap: wrap;
        align-items: end;
      }
      .go {
        background: var(--accent);
        color: var(--on-accent);
        font-weight: 600;
        padding: 2px 16px;
      }
      .go:hover:not(:disabled) {
        background: var(--accent);
        filter: brightness(1.1);
      }
      pre {
        margin: 0;
        padding: 10px;
        background: var(--bg);
        border: 1px solid var(--line);
        border-radius: 6px;
        font: 12px/1.45 var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .output {
        max-height: 46vh;
        min-height: 60px;
        overflow: auto;
      }
      dl {
        display: flex;
        gap: 6px 22px;
        flex-wrap: wrap;
        margin: 0;
      }
      dl div {
        display: flex;
        gap: 6px;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
      }
      .error {
        padding: 0;
      }
    `]}#e;#t;#n;#r;#i;connectedCallback(){super.connectedCallback(),this.replaceChildren();let e=localStorage.getItem(Fe);document.documentElement.dataset.theme=e??(matchMedia(`(prefers-color-scheme: dark)`).matches?`dark`:`light`),this.#a()}disconnectedCallback(){super.disconnectedCallback(),this.#i!==null&&clearTimeout(this.#i)}async#a(){try{this.form=await De(),await this.#o()}catch(e){this.error=Y(e)}}async#o(){let e;try{e=await Oe(this.#t.until)}catch(e){this.error=Y(e);return}if(e.number!==this.#n){let t=this.#t.until;if(this.#n=e.number,this.#t=new Z,t>0)return this.#o()}this.#t.add(e),this.progress=e,e.stage===`running`||e.stage===`stopping`?this.#i=setTimeout(()=>void this.#o(),Pe):e.stage===`ended`&&e.view&&e.code===0&&this.#r===e.number&&location.assign(e.view)}#s(e){return this.renderRoot.querySelector(`[name="${e}"]`)?.value??``}async#c(e){e.preventDefault();let t=(this.form?.options??[]).map(e=>[e.name,this.#s(`option-${e.name}`)]).filter(([,e])=>e.trim()),n={program:this.#s(`program`),ranks:this.#s(`ranks`),options:t};localStorage.setItem(Ie,JSON.stringify(n)),await this.#d(async()=>{this.checked=await ke(n),await this.updateComplete,this.renderRoot.querySelector(`[name="code"]`)?.focus()})}async#l(e){e.preventDefault();let t=this.checked?.ticket;if(!t)return;let n=this.#s(`code`)||this.#e;await this.#d(async()=>{let e=await Ae(n,t);this.#e=n,this.checked=null,this.#n=e.number,this.#r=e.number,this.#t=new Z,await this.#o()})}async#u(){let e=this.#e||this.#s(`stop-code`);await this.#d(async()=>{await je(e),this.#e=e})}async#d(e){this.error=null,this.isAsking=!0;try{await e()}catch(e){this.error=Y(e)}this.isAsking=!1}updated(){let e=this.renderRoot.querySelector(`.output`);e&&(e.scrollTop=e.scrollHeight)}render(){let e=this.progress,t=e?.stage===`running`||e?.stage===`stopping`;return F`<header>
        <h1>Launch a program</h1>
        <span class="muted">${this.form?`on ${this.form.host}, recorded by mpiscope ${this.form.version}`:``}</span>
      </header>
      <main tabindex="-1">
        ${t||!this.form?L:this.#f(this.form)}
        ${this.checked&&!t?this.#p(this.checked):L}
        ${this.error?F`<section role="alert" class="error"><p class="error"><b>${this.error.message}</b> ${this.error.next}</p></section>`:L}
        ${e&&e.stage!==`idle`?this.#m(e):L}
      </main>`}#f(e){let t=Re(),n=(n,r)=>F`<details ?open=${e.options.some(e=>e.group===n&&t.options.has(e.name))}>
        <summary>${r}</summary>
        <div class="options">${e.options.filter(e=>e.group===n).map(e=>Le(e,t.options.get(e.name)??``))}</div>
      </details>`;return F`<section aria-label="What to run">
      <form @submit=${e=>void this.#c(e)} @input=${()=>this.checked=null}>
        <label class="wide">
          Program and arguments
          <input name="program" required autocomplete="off" spellcheck="false" placeholder="such as ./a.out 100" .value=${t.program} />
          <small>Use quotes as in a shell. No shell reads the line, and nothing is expanded. Paths are relative to ${e.directory}</small>
        </label>
        <div>
          <label>
            <span>Ranks</span>
            <input name="ranks" inputmode="numeric" size="8" autocomplete="off" aria-describedby="about-ranks" .value=${t.ranks} />
          </label>
          <small class="muted" id="about-ranks">Number of processes, such as 4. Leave it empty in a batch job that sets the number</small>
        </div>
        ${n(`recording`,`Recording`)} ${n(`launching`,`Launching`)}
        <div><button class="line" ?disabled=${this.isAsking}>Check</button></div>
      </form>
    </section>`}#p({command:e}){return F`<section aria-label="Confirm">
      <h2>Command to run</h2>
      <pre>${e.text}</pre>
      <dl>
        <div><dt>directory</dt><dd class="mono">${e.directory}</dd></div>
        <div><dt>run</dt><dd class="mono">${e.run}</dd></div>
      </dl>
      <form class="line" @submit=${e=>void this.#l(e)}>
        ${this.#e?L:F`<label>
              Code from the terminal of mpiscope view
              <input name="code" required autocomplete="off" spellcheck="false" size="12" placeholder="xxxx-xxxx" />
            </label>`}
        <button class="go" ?disabled=${this.isAsking}>Run</button>
      </form>
    </section>`}#m(e){let{command:t}=e,n=e.stage!==`ended`,r=Ne(this.#t.text);return F`<section aria-label="Progress">
      <h2>${e.stage===`running`?`Running`:e.stage===`stopping`?`Stopping …`:`Ended`}</h2>
      <pre>${t?.text}</pre>
      <dl>
        <div><dt>elapsed</dt><dd class="number">${Ee(e.elapsed_ms*1e6)}</dd></div>
        <div><dt>ranks started</dt><dd class="number">${e.ranks_up}${t?.ranks?` of ${t.ranks}`:``}</dd></div>
      </dl>
      ${e.verdict?F`<p role="status"><b>${e.verdict}</b></p>`:L}
      ${n?F`<div class="line">
            ${this.#e?L:F`<label>Code from the terminal <input name="stop-code" autocomplete="off" size="12" /></label>`}
            <button class="line" ?disabled=${this.isAsking||e.stage===`stopping`} @click=${()=>void this.#u()}>Stop</button>
          </div>`:e.view?F`<p><a href=${e.view}>Open the views of this run</a></p>`:L}
      <pre class="output" role="log" tabindex="0" aria-label="Output of the program">${this.#t.isCut?`… `:``}${r||`no output yet`}</pre>
    </section>`}};Q([q()],$.prototype,`form`,void 0),Q([q()],$.prototype,`checked`,void 0),Q([q()],$.prototype,`progress`,void 0),Q([q()],$.prototype,`error`,void 0),Q([q()],$.prototype,`isAsking`,void 0),$=Q([ye(`mp-launch`)],$);function Le(e,t){let n=`option-${e.name}`,r=e.kind===`choice`?F`<select name=${n}>
          <option value="" ?selected=${!t}>${e.default}</option>
          ${e.choices.filter(t=>t!==e.default).map(e=>F`<option ?selected=${e===t}>${e}</option>`)}
        </select>`:F`<input name=${n} autocomplete="off" spellcheck="false" placeholder=${e.default?`default: ${e.default}`:``} inputmode=${e.kind===`number`?`numeric`:`text`} .value=${t} />`;return F`<label><span class="mono">--${e.name}</span>${r}<small>${e.help}</small></label>`}function Re(){try{let e=JSON.parse(localStorage.getItem(Ie)??`{}`);return{program:e.program??``,ranks:e.ranks??``,options:new Map(e.options??[])}}catch{return{program:``,ranks:``,options:new Map}}}
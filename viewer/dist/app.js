var e=globalThis,t=e.ShadowRoot&&(e.ShadyCSS===void 0||e.ShadyCSS.nativeShadow)&&`adoptedStyleSheets`in Document.prototype&&`replace`in CSSStyleSheet.prototype,n=Symbol(),r=new WeakMap,i=class{constructor(e,t,r){if(this._$cssResult$=!0,r!==n)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=t}get styleSheet(){let e=this.o,n=this.t;if(t&&e===void 0){let t=n!==void 0&&n.length===1;t&&(e=r.get(n)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),t&&r.set(n,e))}return e}toString(){return this.cssText}},a=e=>new i(typeof e==`string`?e:e+``,void 0,n),o=(e,...t)=>new i(e.length===1?e[0]:t.reduce((t,n,r)=>t+(e=>{if(!0===e._$cssResult$)return e.cssText;if(typeof e==`number`)return e;throw Error(`Value passed to 'css' function must be a 'css' function result: `+e+`. Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.`)})(n)+e[r+1],e[0]),e,n),s=(n,r)=>{if(t)n.adoptedStyleSheets=r.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let t of r){let r=document.createElement(`style`),i=e.litNonce;i!==void 0&&r.setAttribute(`nonce`,i),r.textContent=t.cssText,n.appendChild(r)}},c=t?e=>e:e=>e instanceof CSSStyleSheet?(e=>{let t=``;for(let n of e.cssRules)t+=n.cssText;return a(t)})(e):e,{is:l,defineProperty:u,getOwnPropertyDescriptor:d,getOwnPropertyNames:f,getOwnPropertySymbols:p,getPrototypeOf:m}=Object,h=globalThis,g=h.trustedTypes,ee=g?g.emptyScript:``,te=h.reactiveElementPolyfillSupport,_=(e,t)=>e,ne={toAttribute(e,t){switch(t){case Boolean:e=e?ee:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},re=(e,t)=>!l(e,t),ie={attribute:!0,type:String,converter:ne,reflect:!1,useDefault:!1,hasChanged:re};Symbol.metadata??=Symbol(`metadata`),h.litPropertyMetadata??=new WeakMap;var ae=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,t=ie){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((t=Object.create(t)).wrapped=!0),this.elementProperties.set(e,t),!t.noAccessor){let n=Symbol(),r=this.getPropertyDescriptor(e,n,t);r!==void 0&&u(this.prototype,e,r)}}static getPropertyDescriptor(e,t,n){let{get:r,set:i}=d(this.prototype,e)??{get(){return this[t]},set(e){this[t]=e}};return{get:r,set(t){let a=r?.call(this);i?.call(this,t),this.requestUpdate(e,a,n)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??ie}static _$Ei(){if(this.hasOwnProperty(_(`elementProperties`)))return;let e=m(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(_(`finalized`)))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(_(`properties`))){let e=this.properties,t=[...f(e),...p(e)];for(let n of t)this.createProperty(n,e[n])}let e=this[Symbol.metadata];if(e!==null){let t=litPropertyMetadata.get(e);if(t!==void 0)for(let[e,n]of t)this.elementProperties.set(e,n)}this._$Eh=new Map;for(let[e,t]of this.elementProperties){let n=this._$Eu(e,t);n!==void 0&&this._$Eh.set(n,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let t=[];if(Array.isArray(e)){let n=new Set(e.flat(1/0).reverse());for(let e of n)t.unshift(c(e))}else e!==void 0&&t.push(c(e));return t}static _$Eu(e,t){let n=t.attribute;return!1===n?void 0:typeof n==`string`?n:typeof e==`string`?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,t=this.constructor.elementProperties;for(let n of t.keys())this.hasOwnProperty(n)&&(e.set(n,this[n]),delete this[n]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return s(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,t,n){this._$AK(e,n)}_$ET(e,t){let n=this.constructor.elementProperties.get(e),r=this.constructor._$Eu(e,n);if(r!==void 0&&!0===n.reflect){let i=(n.converter?.toAttribute===void 0?ne:n.converter).toAttribute(t,n.type);this._$Em=e,i==null?this.removeAttribute(r):this.setAttribute(r,i),this._$Em=null}}_$AK(e,t){let n=this.constructor,r=n._$Eh.get(e);if(r!==void 0&&this._$Em!==r){let e=n.getPropertyOptions(r),i=typeof e.converter==`function`?{fromAttribute:e.converter}:e.converter?.fromAttribute===void 0?ne:e.converter;this._$Em=r;let a=i.fromAttribute(t,e.type);this[r]=a??this._$Ej?.get(r)??a,this._$Em=null}}requestUpdate(e,t,n,r=!1,i){if(e!==void 0){let a=this.constructor;if(!1===r&&(i=this[e]),n??=a.getPropertyOptions(e),!((n.hasChanged??re)(i,t)||n.useDefault&&n.reflect&&i===this._$Ej?.get(e)&&!this.hasAttribute(a._$Eu(e,n))))return;this.C(e,t,n)}!1===this.isUpdatePending&&(this._$ES=this._$EP())}C(e,t,{useDefault:n,reflect:r,wrapped:i},a){n&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,a??t??this[e]),!0!==i||a!==void 0)||(this._$AL.has(e)||(this.hasUpdated||n||(t=void 0),this._$AL.set(e,t)),!0===r&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[e,t]of this._$Ep)this[e]=t;this._$Ep=void 0}let e=this.constructor.elementProperties;if(e.size>0)for(let[t,n]of e){let{wrapped:e}=n,r=this[t];!0!==e||this._$AL.has(t)||r===void 0||this.C(t,void 0,n,r)}}let e=!1,t=this._$AL;try{e=this.shouldUpdate(t),e?(this.willUpdate(t),this._$EO?.forEach(e=>e.hostUpdate?.()),this.update(t)):this._$EM()}catch(t){throw e=!1,this._$EM(),t}e&&this._$AE(t)}willUpdate(e){}_$AE(e){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(e){}firstUpdated(e){}};ae.elementStyles=[],ae.shadowRootOptions={mode:`open`},ae[_(`elementProperties`)]=new Map,ae[_(`finalized`)]=new Map,te?.({ReactiveElement:ae}),(h.reactiveElementVersions??=[]).push(`2.1.2`);var oe=globalThis,se=e=>e,ce=oe.trustedTypes,le=ce?ce.createPolicy(`lit-html`,{createHTML:e=>e}):void 0,ue=`$lit$`,v=`lit$${Math.random().toFixed(9).slice(2)}$`,de=`?`+v,fe=`<${de}>`,pe=document,me=()=>pe.createComment(``),he=e=>e===null||typeof e!=`object`&&typeof e!=`function`,ge=Array.isArray,_e=e=>ge(e)||typeof e?.[Symbol.iterator]==`function`,ve=`[ 	
\f\r]`,ye=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,be=/-->/g,xe=/>/g,Se=RegExp(`>|${ve}(?:([^\\s"'>=/]+)(${ve}*=${ve}*(?:[^ \t\n\f\r"'\`<>=]|("|')|))|$)`,`g`),Ce=/'/g,we=/"/g,Te=/^(?:script|style|textarea|title)$/i,Ee=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),y=Ee(1),De=Ee(2),Oe=Symbol.for(`lit-noChange`),b=Symbol.for(`lit-nothing`),ke=new WeakMap,Ae=pe.createTreeWalker(pe,129);function je(e,t){if(!ge(e)||!e.hasOwnProperty(`raw`))throw Error(`invalid template strings array`);return le===void 0?t:le.createHTML(t)}var Me=(e,t)=>{let n=e.length-1,r=[],i,a=t===2?`<svg>`:t===3?`<math>`:``,o=ye;for(let t=0;t<n;t++){let n=e[t],s,c,l=-1,u=0;for(;u<n.length&&(o.lastIndex=u,c=o.exec(n),c!==null);)u=o.lastIndex,o===ye?c[1]===`!--`?o=be:c[1]===void 0?c[2]===void 0?c[3]!==void 0&&(o=Se):(Te.test(c[2])&&(i=RegExp(`</`+c[2],`g`)),o=Se):o=xe:o===Se?c[0]===`>`?(o=i??ye,l=-1):c[1]===void 0?l=-2:(l=o.lastIndex-c[2].length,s=c[1],o=c[3]===void 0?Se:c[3]===`"`?we:Ce):o===we||o===Ce?o=Se:o===be||o===xe?o=ye:(o=Se,i=void 0);let d=o===Se&&e[t+1].startsWith(`/>`)?` `:``;a+=o===ye?n+fe:l>=0?(r.push(s),n.slice(0,l)+ue+n.slice(l)+v+d):n+v+(l===-2?t:d)}return[je(e,a+(e[n]||`<?>`)+(t===2?`</svg>`:t===3?`</math>`:``)),r]},Ne=class e{constructor({strings:t,_$litType$:n},r){let i;this.parts=[];let a=0,o=0,s=t.length-1,c=this.parts,[l,u]=Me(t,n);if(this.el=e.createElement(l,r),Ae.currentNode=this.el.content,n===2||n===3){let e=this.el.content.firstChild;e.replaceWith(...e.childNodes)}for(;(i=Ae.nextNode())!==null&&c.length<s;){if(i.nodeType===1){if(i.hasAttributes())for(let e of i.getAttributeNames())if(e.endsWith(ue)){let t=u[o++],n=i.getAttribute(e).split(v),r=/([.?@])?(.*)/.exec(t);c.push({type:1,index:a,name:r[2],strings:n,ctor:r[1]===`.`?Re:r[1]===`?`?ze:r[1]===`@`?Be:Le}),i.removeAttribute(e)}else e.startsWith(v)&&(c.push({type:6,index:a}),i.removeAttribute(e));if(Te.test(i.tagName)){let e=i.textContent.split(v),t=e.length-1;if(t>0){i.textContent=ce?ce.emptyScript:``;for(let n=0;n<t;n++)i.append(e[n],me()),Ae.nextNode(),c.push({type:2,index:++a});i.append(e[t],me())}}}else if(i.nodeType===8){if(i.data===de)c.push({type:2,index:a});else{let e=-1;for(;(e=i.data.indexOf(v,e+1))!==-1;)c.push({type:7,index:a}),e+=v.length-1}}a++}}static createElement(e,t){let n=pe.createElement(`template`);return n.innerHTML=e,n}};function Pe(e,t,n=e,r){if(t===Oe)return t;let i=r===void 0?n._$Cl:n._$Co?.[r],a=he(t)?void 0:t._$litDirective$;return i?.constructor!==a&&(i?._$AO?.(!1),a===void 0?i=void 0:(i=new a(e),i._$AT(e,n,r)),r===void 0?n._$Cl=i:(n._$Co??=[])[r]=i),i!==void 0&&(t=Pe(e,i._$AS(e,t.values),i,r)),t}var Fe=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:n}=this._$AD,r=(e?.creationScope??pe).importNode(t,!0);Ae.currentNode=r;let i=Ae.nextNode(),a=0,o=0,s=n[0];for(;s!==void 0;){if(a===s.index){let t;s.type===2?t=new Ie(i,i.nextSibling,this,e):s.type===1?t=new s.ctor(i,s.name,s.strings,this,e):s.type===6&&(t=new Ve(i,this,e)),this._$AV.push(t),s=n[++o]}a!==s?.index&&(i=Ae.nextNode(),a++)}return Ae.currentNode=pe,r}p(e){let t=0;for(let n of this._$AV)n!==void 0&&(n.strings===void 0?n._$AI(e[t]):(n._$AI(e,n,t),t+=n.strings.length-2)),t++}},Ie=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,n,r){this.type=2,this._$AH=b,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=n,this.options=r,this._$Cv=r?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=Pe(this,e,t),he(e)?e===b||e==null||e===``?(this._$AH!==b&&this._$AR(),this._$AH=b):e!==this._$AH&&e!==Oe&&this._(e):e._$litType$===void 0?e.nodeType===void 0?_e(e)?this.k(e):this._(e):this.T(e):this.$(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==b&&he(this._$AH)?this._$AA.nextSibling.data=e:this.T(pe.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:n}=e,r=typeof n==`number`?this._$AC(e):(n.el===void 0&&(n.el=Ne.createElement(je(n.h,n.h[0]),this.options)),n);if(this._$AH?._$AD===r)this._$AH.p(t);else{let e=new Fe(r,this),n=e.u(this.options);e.p(t),this.T(n),this._$AH=e}}_$AC(e){let t=ke.get(e.strings);return t===void 0&&ke.set(e.strings,t=new Ne(e)),t}k(t){ge(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,i=0;for(let a of t)i===n.length?n.push(r=new e(this.O(me()),this.O(me()),this,this.options)):r=n[i],r._$AI(a),i++;i<n.length&&(this._$AR(r&&r._$AB.nextSibling,i),n.length=i)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let t=se(e).nextSibling;se(e).remove(),e=t}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},Le=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,n,r,i){this.type=1,this._$AH=b,this._$AN=void 0,this.element=e,this.name=t,this._$AM=r,this.options=i,n.length>2||n[0]!==``||n[1]!==``?(this._$AH=Array(n.length-1).fill(new String),this.strings=n):this._$AH=b}_$AI(e,t=this,n,r){let i=this.strings,a=!1;if(i===void 0)e=Pe(this,e,t,0),a=!he(e)||e!==this._$AH&&e!==Oe,a&&(this._$AH=e);else{let r=e,o,s;for(e=i[0],o=0;o<i.length-1;o++)s=Pe(this,r[n+o],t,o),s===Oe&&(s=this._$AH[o]),a||=!he(s)||s!==this._$AH[o],s===b?e=b:e!==b&&(e+=(s??``)+i[o+1]),this._$AH[o]=s}a&&!r&&this.j(e)}j(e){e===b?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??``)}},Re=class extends Le{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===b?void 0:e}},ze=class extends Le{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==b)}},Be=class extends Le{constructor(e,t,n,r,i){super(e,t,n,r,i),this.type=5}_$AI(e,t=this){if((e=Pe(this,e,t,0)??b)===Oe)return;let n=this._$AH,r=e===b&&n!==b||e.capture!==n.capture||e.once!==n.once||e.passive!==n.passive,i=e!==b&&(n===b||r);r&&this.element.removeEventListener(this.name,this,n),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH==`function`?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},Ve=class{constructor(e,t,n){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=n}get _$AU(){return this._$AM._$AU}_$AI(e){Pe(this,e)}},He=oe.litHtmlPolyfillSupport;He?.(Ne,Ie),(oe.litHtmlVersions??=[]).push(`3.3.3`);var Ue=(e,t,n)=>{let r=n?.renderBefore??t,i=r._$litPart$;if(i===void 0){let e=n?.renderBefore??null;r._$litPart$=i=new Ie(t.insertBefore(me(),e),e,void 0,n??{})}return i._$AI(e),i},We=globalThis,x=class extends ae{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=Ue(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return Oe}};x._$litElement$=!0,x.finalized=!0,We.litElementHydrateSupport?.({LitElement:x});var Ge=We.litElementPolyfillSupport;Ge?.({LitElement:x}),(We.litElementVersions??=[]).push(`4.2.2`);var S=e=>(t,n)=>{n===void 0?customElements.define(e,t):n.addInitializer(()=>{customElements.define(e,t)})},Ke={attribute:!0,type:String,converter:ne,reflect:!1,hasChanged:re},qe=(e=Ke,t,n)=>{let{kind:r,metadata:i}=n,a=globalThis.litPropertyMetadata.get(i);if(a===void 0&&globalThis.litPropertyMetadata.set(i,a=new Map),r===`setter`&&((e=Object.create(e)).wrapped=!0),a.set(n.name,e),r===`accessor`){let{name:r}=n;return{set(n){let i=t.get.call(this);t.set.call(this,n),this.requestUpdate(r,i,e,!0,n)},init(t){return t!==void 0&&this.C(r,void 0,e,t),t}}}if(r===`setter`){let{name:r}=n;return function(n){let i=this[r];t.call(this,n),this.requestUpdate(r,i,e,!0,n)}}throw Error(`Unsupported decorator location: `+r)};function C(e){return(t,n)=>typeof n==`object`?qe(e,t,n):((e,t,n)=>{let r=t.hasOwnProperty(n);return t.constructor.createProperty(n,e),r?Object.getOwnPropertyDescriptor(t,n):void 0})(e,t,n)}function w(e){return C({...e,state:!0,attribute:!1})}var Je=class extends Error{constructor(e,t,n){super(t),this.status=e,this.next=n}};function Ye(e){return e instanceof DOMException&&e.name===`AbortError`}function T(e){return e instanceof Je?e:e instanceof TypeError?new Je(0,`mpiscope does not answer`,"See whether `mpiscope view` still runs in its terminal; start it again and reload this page."):new Je(0,e instanceof Error?e.message:String(e),`Reload this page.`)}var Xe=class{#e=null;get isBusy(){return this.#e!==null}async run(e){this.#e?.abort();let t=new AbortController;this.#e=t;try{let n=await e(t.signal);return t.signal.aborted?void 0:n}catch(e){if(t.signal.aborted)return;throw e}finally{this.#e===t&&(this.#e=null)}}cancel(){this.#e?.abort(),this.#e=null}},Ze=class{#e;#t;#n;#r;constructor(e){this.#e=new Map(e.functions.map(e=>[e.id,e])),this.#t=new Map(e.communicators.map(e=>[e.id,e.name])),this.#n=new Map(e.sites.map(e=>[e.id,e.text])),this.#r=new Map(e.regions.map(e=>[e.id,e.name]))}function(e){return this.#e.get(e)?.name??`function ${e}`}short(e){return this.function(e).replace(/^MPI_/,``)}classOf(e){return this.#e.get(e)?.class??`local`}functionId(e){for(let[t,n]of this.#e)if(n.name===e)return t;return null}comm(e){return e===null||e<0?``:this.#t.get(e)??`communicator ${e}`}site(e){return e===null||e<0?``:this.#n.get(e)??``}region(e){return e===null||e<0?``:this.#r.get(e)??`region ${e}`}};function Qe(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}function $e(e,t,n){let r=0,i=e;for(;Math.abs(i)>=t-.5&&r<n.length-1;)i/=t,r++;return`${r===0&&Number.isInteger(i)?String(i):Qe(i)} ${n[r]}`}function E(e){return Number.isFinite(e)?e===0?`0 s`:$e(e,1e3,[`ns`,`µs`,`ms`,`s`]):`–`}function D(e){return Number.isFinite(e)?$e(e,1024,[`B`,`KiB`,`MiB`,`GiB`,`TiB`]):`–`}function et(e){return Number.isFinite(e)?`${$e(e,1024,[`B`,`KiB`,`MiB`,`GiB`,`TiB`])}/s`:`–`}function O(e){return Number.isFinite(e)?Math.round(e).toString().replace(/\B(?=(\d{3})+(?!\d))/g,` `):`–`}function k(e){return Number.isFinite(e)?Math.abs(e)<1e4?O(e):$e(e,1e3,[``,`k`,`M`,`G`,`T`]):`–`}function A(e){if(!Number.isFinite(e))return`–`;let t=e*100;return t!==0&&Math.abs(t)<.1?`< 0.1 %`:`${t.toFixed(1)} %`}function tt(e){return Number.isFinite(e)?Number.isInteger(e)?O(e):Qe(e):`–`}function nt(e,t){return t===`ns`?E(e):t===`bytes`?D(e):t===`bytes/ns`?et(e*1e9):t?`${tt(e)} ${t}`:tt(e)}function j(e,t){if(!Number.isFinite(e))return`–`;let n=Math.min(9,Math.max(0,Math.ceil(9-Math.log10(Math.max(1,t))-1e-9))),r=e<0?`−`:``,i=Math.round(Math.abs(e)/10**(9-n)).toString().padStart(n+1,`0`),a=i.slice(0,i.length-n),o=n?i.slice(i.length-n).match(/\d{1,3}/g)??[]:[];return`${r}${a}${n?`.${o.join(` `)}`:``} s`}function rt(e){let t=[...new Set(e)].sort((e,t)=>e-t),n=[];for(let e=0;e<t.length;){let r=e;for(;r+1<t.length&&t[r+1]===t[r]+1;)r++;n.push(r===e?`${t[e]}`:`${t[e]}-${t[r]}`),e=r+1}return n.join(`,`)}function it(e,t){let n=new Set;for(let r of e.split(`,`).map(e=>e.trim()).filter(Boolean)){let e=/^(\d+)(?:\s*-\s*(\d+))?$/.exec(r);if(!e)return null;let i=Number(e[1]),a=Math.min(Number(e[2]??e[1]),t-1);for(let e=i;e<=a;e++)n.add(e)}return[...n].sort((e,t)=>e-t)}function at(e,t,n,r){if(n===null||r===null)return null;let i=Math.max(0,Math.floor(n)),a=Math.min(e?.length??t,Math.ceil(r));if(i<=0&&a>=(e?.length??t)&&(e===null||e.length===t))return null;let o=[];for(let t=i;t<a;t++)o.push(e?e[t]:t);return rt(o)}function ot(e,t){if(e===null||t===null)return e??t;let n=new Set(st(t)),r=st(e).filter(e=>n.has(e));return r.length?rt(r):`16777215`}function st(e){let t=[];for(let n of e.split(`,`)){let[e,r]=n.split(`-`).map(Number);for(let n=e;n<=(r??e);n++)t.push(n)}return t}function ct(e,t){return e.area?{from:Math.round(e.area.from),until:Math.round(e.area.until)}:e.scope===`run`||e.from===null&&e.until===null?{from:null,until:null}:{from:Math.round(t.from),until:Math.round(t.until)}}function lt(e,t,n,r){let i=e.area,a=i?at(n,r,i.row_from,i.row_until):e.scope===`window`?at(n,r,e.row_from,e.row_until):null;return{...e.filter,...ct(e,t),ranks:ot(a,e.filter.ranks)}}var ut=65534;function dt(e,t){return ft(e.skipped.length?{...e,hidden:[...e.hidden,...e.skipped]}:e,t)}function ft(e,t){if(!e.hidden.length)return e.filter.functions;let n=new Set(e.hidden),r=(e.filter.functions??t.map(e=>e.id)).filter(e=>!n.has(e));return r.length?r:[ut]}function pt(e,t){let n=Math.max(e.until_ns,e.from_ns+20);return{from:e.from_ns,until:n,row_from:0,row_until:Math.max(1,t)}}function mt(e,t){return{from:e.from??t.from,until:e.until??t.until,row_from:e.row_from??t.row_from,row_until:Math.min(e.row_until??t.row_until,Math.max(t.row_until,1))}}var ht=(e,t,n)=>Math.max(t,Math.min(n,e));function M(e,t){let n=ht(e.until-e.from,20,t.until-t.from),r=ht(e.from,t.from,t.until-n),i=ht(e.row_until-e.row_from,Math.min(1,t.row_until),t.row_until-t.row_from),a=ht(e.row_from,t.row_from,t.row_until-i);return{from:r,until:r+n,row_from:a,row_until:a+i}}function gt(e,t,n,r){let i=e.until-e.from,a=ht(i*n,20,t.until-t.from),o=e.from+i*r;return M({...e,from:o-a*r,until:o+a*(1-r)},t)}function _t(e,t,n,r){let i=e.row_until-e.row_from,a=ht(i*n,1,t.row_until-t.row_from),o=e.row_from+i*r;return M({...e,row_from:o-a*r,row_until:o+a*(1-r)},t)}function N(e,t,n,r){let i=(e.until-e.from)*n,a=(e.row_until-e.row_from)*r;return M({from:e.from+i,until:e.until+i,row_from:e.row_from+a,row_until:e.row_until+a},t)}function vt(e,t,n,r,i){let a=Math.max(e.until-e.from,(r-n)*1.2),o=(n+r)/2;return M({...e,from:o-a/2,until:o+a/2,...bt(e,i)},t)}function yt(e,t,n,r,i){let a=Math.max((r-n)*3,20),o=(n+r)/2;return M({...e,from:o-a/2,until:o+a/2,...bt(e,i)},t)}function bt(e,t){let n=e.row_until-e.row_from;if(t===null||t>=e.row_from&&t+1<=e.row_until)return{row_from:e.row_from,row_until:e.row_until};let r=t+.5-n/2;return{row_from:r,row_until:r+n}}function xt(e,t){let n=e.from<=t.from&&e.until>=t.until,r=e.row_from<=t.row_from&&e.row_until>=t.row_until,i=e=>Math.round(e*1e3)/1e3;return{from:n?null:Math.round(e.from),until:n?null:Math.max(Math.round(e.until),Math.round(e.from)+1),row_from:r?null:i(e.row_from),row_until:r?null:i(e.row_until)}}var St=500,Ct=`mpiscope.theme`,wt=`mpiscope.single-keys`,Tt=class extends EventTarget{#e;#t;#n;constructor(e,t){super(),this.run=null,this.names=null,this.report=null,this.reportError=null,this.error=null,this.order=null,this.orderError=null,this.positions=new Int32Array,this.detail=null,this.detailError=null,this.theme=`light`,this.hasSingleKeys=!0,this.dialog=null,this.message=``,this.growth=0,this.#e=new Xe,this.#t=new Xe,this.#n=new Xe,this.client=e,this.store=t,t.listen((e,t)=>{e.order!==t.order&&this.#s(),(e.selection?.rank!==t.selection?.rank||e.selection?.row!==t.selection?.row)&&this.#c(),this.changed()}),this.theme=Et(),document.documentElement.dataset.theme=this.theme,this.hasSingleKeys=localStorage.getItem(wt)!==`off`}changed(){this.dispatchEvent(new Event(`change`))}say(e){this.message=e,this.changed()}fail(e){if(Ye(e))return;let t=T(e);this.say(`${t.message}. ${t.next}`)}setTheme(e){this.theme=e,document.documentElement.dataset.theme=e,localStorage.setItem(Ct,e),this.changed()}setSingleKeys(e){this.hasSingleKeys=e,localStorage.setItem(wt,e?`on`:`off`),this.say(e?`Single-key shortcuts are on.`:`Single-key shortcuts are off. The command palette (Ctrl+Shift+P) turns them on again.`)}open(e){this.dialog=e,this.changed()}async start(){try{this.#r(await this.client.run())}catch(e){this.error=T(e),this.changed();return}this.#a(),(this.run?.state===`building`||this.run?.state===`ready`&&!this.run.is_explained)&&this.#i(),await this.#s(),this.#c()}#r(e){this.run=e,this.names=new Ze(e),document.title=`${e.name} – mpiscope`,this.order||this.#o(),this.changed()}async#i(){for(;;){await new Promise(e=>setTimeout(e,St));try{let e=this.run,t=await this.client.progress();if(t.state===`building`){t.done!==e.done&&this.growth++,this.#r({...e,...t});continue}if((e.state===`building`||t.is_explained)&&(this.#r(await this.client.run()),this.growth++),e.state===`building`&&t.state===`ready`&&(this.#s(),this.#c(),this.say(`The run is read.`)),t.is_explained||t.state===`failed`){this.#a();return}}catch(e){this.error=T(e),this.changed();return}}}async#a(){try{this.report=await this.client.report()}catch(e){this.reportError=T(e)}this.changed()}#o(){let e=this.run?.ranks.count??0;this.order=null,this.positions=Int32Array.from({length:e},(e,t)=>t)}async#s(){let e=this.store.state.order;if(this.orderError=null,!e)this.#e.cancel(),this.#o(),this.changed();else{try{let t=await this.#e.run(t=>this.client.order(e,t));if(!t)return;this.order=t,this.positions=new Int32Array(this.run?.ranks.count??0).fill(-1),t.ranks.forEach((e,t)=>this.positions[e]=t)}catch(e){this.orderError=T(e),this.fail(e)}this.changed()}}async#c(){let e=this.store.state.selection;if(this.detailError=null,!e||this.run?.state!==`ready`)this.#t.cancel(),this.detail=null,this.changed();else{try{let t=await this.#t.run(t=>this.client.call(e,t));t&&(this.detail=t)}catch(e){this.detail=null,this.detailError=T(e)}this.changed()}}get rows(){return this.order?.ranks.length??this.run?.ranks.count??0}rankAt(e){return this.order?this.order.ranks[e]??-1:e}worldRank(e){return this.run?.ranks.world_rank[e]??e}rankOfWorld(e){let t=this.run?.ranks.world_rank.indexOf(e)??-1;return t>=0?t:e}get whole(){return pt(this.run??{from_ns:0,until_ns:1},this.rows)}get window(){return mt(this.store.state,this.whole)}get scope(){return lt(this.store.state,this.window,this.order?.ranks??null,this.run?.ranks.count??0)}setWindow(e,t){let n=xt(e,this.whole);t?this.store.move(n):this.store.set(n)}show(e,t=`centre`){let n=this.positions[e.rank]??-1,r=t===`fit`?yt:vt,{from:i,until:a}=this.window,o=t===`centre`&&e.start_ns>=i&&e.end_ns<=a,{row_from:s,row_until:c}=this.window,l=n<0||n>=s&&n+1<=c,u=o&&l?this.window:r(this.window,this.whole,e.start_ns,e.end_ns,n<0?null:n);this.store.set({page:`views`,selection:{rank:e.rank,row:e.row},...xt(u,this.whole)})}select(e){this.store.set({selection:e})}async goTo(e,t){try{let n=await this.#n.run(e);if(n===void 0)return;n===null?this.say(t):(this.message=``,this.show(n))}catch(e){this.fail(e)}}};function Et(){let e=localStorage.getItem(Ct);return e===`light`||e===`dark`?e:matchMedia(`(prefers-color-scheme: dark)`).matches?`dark`:`light`}var Dt={ArrowLeft:`←`,ArrowRight:`→`,ArrowUp:`↑`,ArrowDown:`↓`,BracketLeft:`[`,BracketRight:`]`,Period:`.`,Comma:`,`,Slash:`/`,Escape:`Esc`,Home:`Home`,Equal:`+`,Minus:`−`};function Ot(e){let t=e.key??Dt[e.code??``]??(e.code??``).replace(/^(Key|Digit)/,``);return[e.ctrl?`Ctrl`:``,e.alt?`Alt`:``,e.shift&&!e.key?`Shift`:``,t].filter(Boolean).join(`+`)}function kt(e,t){return!!e.ctrl!==(t.ctrlKey||t.metaKey)||!!e.alt!==t.altKey?!1:e.key===void 0?t.code===e.code&&!!e.shift===t.shiftKey:t.key===e.key}function At(e,t,n){return e.find(e=>e.keys.some(e=>kt(e,t))&&(e.when?.(n)??!0))??null}var jt=`input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]`;function Mt(){let e=document.activeElement;for(;e?.shadowRoot?.activeElement;)e=e.shadowRoot.activeElement;return e}function Nt(e,t){window.addEventListener(`keydown`,n=>{if(n.defaultPrevented)return;let r=Mt()?.matches(jt)??!1,i=n.ctrlKey||n.metaKey||n.altKey;if((r||e.dialog)&&!i||!i&&!e.hasSingleKeys&&n.key.length===1)return;let a=At(t,n,e);a&&(n.preventDefault(),a.run(e))})}var Pt=[`ranks`,`pin`,`group`,`sort`];function Ft(e,t){let n=e.split(`;`).find(e=>e.startsWith(`${t}:`));return n===void 0?null:n.slice(t.length+1)}function P(e,t,n){return Pt.map(r=>[r,r===t?n:Ft(e,r)]).filter(([,e])=>e!==null&&e!==``).map(([e,t])=>`${e}:${t}`).join(`;`)}var It=[`table`,`scatter`,`histogram`,`matrix`,`events`],Lt=[`messages`,`collectives`,`waits`,`path`,`regions`],Rt=Object.freeze({ranks:null,functions:null,comm:null,site:null,region:null,peer:null,tag:null,bytes_min:null,bytes_max:null,duration_min:null,duration_max:null,host:null,iteration:null,thread:null}),F=Object.freeze({page:`overview`,from:null,until:null,row_from:null,row_until:null,order:``,filter:Rt,selection:null,area:null,hidden:[],skipped:[],colouring:`function`,layers:[`messages`,`collectives`,`waits`],left:`table`,right:`scatter`,scope:`window`,table:{by:`function`,sort:`total_ns`,ascending:!1},scatter:{x:`end`,y:`duration`,x_log:!1,y_log:!0,of:`calls`,x_min:null,x_max:null,y_min:null,y_max:null},histogram:{field:`duration`,is_log:!0,of:`calls`},matrix:{by:`rank`,value:`bytes`,comm:null},twins:[],finding:null}),zt=e=>Object.values(e).some(e=>e!==null),Bt=e=>Object.entries(e).every(([e,t])=>t===null||e===`functions`),Vt=.75,Ht=.15,Ut=e=>e.store.state.page===`views`&&e.run!==null;function Wt(e){let{area:t}=e.store.state,n=e.detail;return n&&e.store.state.selection?{start:n.start_ns,end:n.start_ns+n.duration_ns,row:e.positions[n.rank]??null}:t?{start:t.from,end:t.until,row:null}:null}function Gt(e){let t=Wt(e);if(!t)return;let n=e.window,r=vt(n,e.whole,t.start,t.end,t.row),i=Math.abs(r.from-n.from)<(n.until-n.from)/100&&Math.abs(r.row_from-n.row_from)<.5;e.setWindow(i?yt(n,e.whole,t.start,t.end,t.row):r,!1)}function Kt(e){let{rows_from_ns:t,rows_until_ns:n}=e.run?.ranks??{};if(!t?.length||!n?.length)return null;let[r,i]=[t.reduce((e,t)=>Math.min(e,t)),n.reduce((e,t)=>Math.max(e,t))];return i>r?M({...e.window,from:r,until:i},e.whole):null}function qt(e){let{area:t}=e.store.state;if(!t)return;let n=e.window;e.setWindow(M({from:t.from,until:t.until,row_from:t.row_from??n.row_from,row_until:t.row_until??n.row_until},e.whole),!1)}var I=(e,t,n,r)=>({id:e,title:t,group:`Move`,keys:n,when:Ut,run:r}),Jt=[I(`zoom-in`,`Zoom in`,[{code:`KeyW`},{code:`Equal`}],e=>e.setWindow(gt(e.window,e.whole,Vt,.5),!0)),I(`zoom-out`,`Zoom out`,[{code:`KeyS`},{code:`Minus`}],e=>e.setWindow(gt(e.window,e.whole,1/Vt,.5),!0)),I(`earlier`,`Earlier`,[{code:`KeyA`},{code:`ArrowLeft`}],e=>e.setWindow(N(e.window,e.whole,-.15,0),!0)),I(`later`,`Later`,[{code:`KeyD`},{code:`ArrowRight`}],e=>e.setWindow(N(e.window,e.whole,Ht,0),!0)),I(`rows-up`,`Ranks above`,[{code:`ArrowUp`}],e=>e.setWindow(N(e.window,e.whole,0,-.15),!0)),I(`rows-down`,`Ranks below`,[{code:`ArrowDown`}],e=>e.setWindow(N(e.window,e.whole,0,Ht),!0)),I(`rows-in`,`Fewer, taller ranks`,[{code:`KeyW`,shift:!0}],e=>e.setWindow(_t(e.window,e.whole,Vt,.5),!0)),I(`rows-out`,`More, flatter ranks`,[{code:`KeyS`,shift:!0}],e=>e.setWindow(_t(e.window,e.whole,1/Vt,.5),!0)),{...I(`focus`,`Centre what is selected; again: fit it`,[{code:`KeyF`}],Gt),when:e=>Ut(e)&&Wt(e)!==null},{...I(`zoom-to-area`,`Zoom to the selected area`,[{code:`KeyZ`}],qt),when:e=>Ut(e)&&e.store.state.area!==null},{...I(`main`,`From the end of MPI_Init to MPI_Finalize`,[{code:`Digit9`}],e=>e.setWindow(Kt(e),!1)),when:e=>Ut(e)&&Kt(e)!==null},I(`whole`,`The whole run`,[{code:`Home`},{code:`Digit0`}],e=>e.setWindow(e.whole,!1))];async function Yt(e,t){let n=e.store.state,{from:r,until:i,row_from:a,row_until:o}=e.window,s=await e.client.calls({...n.filter,from:Math.round(r),until:Math.round(i),row_from:Math.floor(a),row_until:Math.ceil(o),order:n.order,limit:1},t);return s.length?{rank:s.rank[0],row:s.row[0],start_ns:s.start_ns[0],end_ns:s.start_ns[0]+s.duration_ns[0]}:null}var Xt={rank:`in this rank`,functions:`of functions that are shown`,function:`of the same function`,comm:`on the same communicator`,message:`at the other end of a message`,collective:`in the same collective operation`,longer:`that takes longer`,site:`from the same call site`};function Zt(e,t,n){let r=e.store.state.selection;if(!r){e.goTo(t=>Yt(e,t),`There are no calls in sight.`);return}let i=t===`rank`?dt({...e.store.state,filter:Rt},e.run?.functions??[]):null,a=t===`longer`?{than_ns:e.detail?.duration_ns??0}:i?{functions:i}:{};e.goTo(o=>e.client.step(r,i?`functions`:t,n,a,o),`There is no ${n} call ${Xt[t]}.`)}function Qt(e,t){Zt(e,e.detail?.collective&&!e.detail.messages.length?`collective`:`message`,t)}function L(e,t,n,r,i){return{id:e,title:t,group:`Walk`,keys:i,when:e=>e.run?.state===`ready`&&e.store.state.page===`views`,run:e=>Zt(e,n,r)}}var $t=[L(`next`,`Next call in the rank`,`rank`,`next`,[{code:`Period`}]),L(`previous`,`Previous call in the rank`,`rank`,`previous`,[{code:`Comma`}]),{...L(`along-next`,`To the other end of the message, or the next member of the collective operation`,`message`,`next`,[{code:`BracketRight`}]),run:e=>Qt(e,`next`)},{...L(`along-previous`,`The same, the other way`,`message`,`previous`,[{code:`BracketLeft`}]),run:e=>Qt(e,`previous`)},L(`next-function`,`Next call of the same function`,`function`,`next`,[{code:`KeyG`}]),L(`previous-function`,`Previous call of the same function`,`function`,`previous`,[{code:`KeyG`,shift:!0}]),L(`next-comm`,`Next call on the same communicator`,`comm`,`next`,[{code:`KeyC`}]),L(`previous-comm`,`Previous call on the same communicator`,`comm`,`previous`,[{code:`KeyC`,shift:!0}]),L(`next-site`,`Next call from the same call site`,`site`,`next`,[{code:`KeyE`}]),L(`previous-site`,`Previous call from the same call site`,`site`,`previous`,[{code:`KeyE`,shift:!0}]),L(`next-longer`,`Next call that takes longer`,`longer`,`next`,[{code:`KeyN`}]),L(`previous-longer`,`Previous call that takes longer`,`longer`,`previous`,[{code:`KeyN`,shift:!0}]),{id:`longest`,title:`Longest call in sight`,group:`Walk`,keys:[{code:`KeyL`}],when:e=>e.run?.state===`ready`&&e.store.state.page===`views`,run:e=>void e.goTo(t=>Yt(e,t),`There are no calls in sight.`)}],en=e=>e.store.state.page===`views`,tn={messages:[`Message arrows`,`KeyM`],collectives:[`Lines through collective operations`,`KeyK`],waits:[`Hatching of waits`,`KeyH`],path:[`Critical path`,`KeyP`],regions:[`Regions of the program`,`KeyR`]},nn=e=>tn[e][0],rn={table:`Table`,scatter:`Scatter`,histogram:`Histogram`,matrix:`Matrix`,events:`Events`},an=e=>rn[e],on=Lt.map(e=>({id:`layer-${e}`,title:`${tn[e][0]}: on or off`,group:`Show`,keys:[{code:tn[e][1]}],when:en,run:t=>{let{layers:n}=t.store.state,r=n.includes(e);t.store.set({layers:Lt.filter(t=>t===e?!r:n.includes(t))}),t.say(`${tn[e][0]}: ${r?`off`:`on`}.`)}})),sn=[`left`,`right`].flatMap(e=>It.map((t,n)=>({id:`${e}-${t}`,title:`${rn[t]} in the ${e} pane`,group:`Panes`,keys:[{code:`Digit${n+1}`,alt:!0,shift:e===`right`}],run:n=>n.store.set({page:`views`,[e]:t})}))),cn=[{id:`rank`,title:`By rank`,order:``},{id:`wait`,title:`By waiting time`,order:`sort:wait`},{id:`mpi`,title:`By time in MPI`,order:`sort:mpi`},{id:`computing`,title:`By computing time`,order:`sort:computing`},{id:`bytes`,title:`By bytes`,order:`sort:bytes`},{id:`calls`,title:`By calls`,order:`sort:calls`},{id:`host`,title:`Grouped by host`,order:`group:host`},{id:`host-wait`,title:`Grouped by host, by waiting time`,order:`group:host;sort:wait`}],ln=(e,t)=>e.store.set({page:`views`,order:t,row_from:null,row_until:null,area:null}),un=[...cn.map(({id:e,title:t,order:n})=>({id:`order-${e}`,title:`Order of ranks: ${t.toLowerCase()}`,group:`Order of ranks`,keys:[],run:e=>ln(e,[`ranks`,`pin`].reduce((t,n)=>P(t,n,Ft(e.store.state.order,n)),n))})),{id:`order-function`,title:`Order of ranks: by time in the selected call's function`,group:`Order of ranks`,keys:[],when:e=>e.detail!==null,run:e=>ln(e,P(e.store.state.order,`sort`,`function:${e.detail.function_id}`))},{id:`pin`,title:`Pin the selected call's rank to the top, or let it go`,group:`Order of ranks`,keys:[{code:`KeyI`}],when:e=>en(e)&&e.store.state.selection!==null,run:e=>{let{order:t,selection:n}=e.store.state,r=n.rank,i=it(Ft(t,`pin`)??``,e.run.ranks.count)??[],a=i.includes(r)?i.filter(e=>e!==r):[...i,r];ln(e,P(t,`pin`,a.length?rt(a):null))}},{id:`only-area`,title:`Show only the ranks of the selected area`,group:`Order of ranks`,keys:[],when:e=>en(e)&&e.store.state.area!==null&&e.store.state.area.row_from!==null,run:e=>{let{area:t,order:n}=e.store.state,r=at(e.order?.ranks??null,e.run.ranks.count,t.row_from,t.row_until);r!==null&&ln(e,P(n,`ranks`,r))}},{id:`all-ranks`,title:`Show all ranks`,group:`Order of ranks`,keys:[],when:e=>Ft(e.store.state.order,`ranks`)!==null,run:e=>ln(e,P(e.store.state.order,`ranks`,null))}],dn=[{id:`find`,title:`Search calls`,group:`Select and filter`,keys:[{key:`/`}],run:e=>e.open(`find`)},{id:`clear`,title:`Take back: the area, then the selected call`,group:`Select and filter`,keys:[{code:`Escape`}],when:e=>e.store.state.area!==null||e.store.state.selection!==null,run:e=>e.store.set(e.store.state.area?{area:null}:{selection:null})},{id:`clear-filter`,title:`Take all filters away`,group:`Select and filter`,keys:[{code:`Escape`,shift:!0}],when:e=>zt(e.store.state.filter)||e.store.state.hidden.length>0||e.store.state.skipped.length>0,run:e=>e.store.set({filter:Rt,hidden:[],skipped:[]})},{id:`filter-function`,title:`Only the function of the selected call`,group:`Select and filter`,keys:[{code:`KeyO`}],when:e=>e.detail!==null,run:e=>{e.store.set({filter:{...e.store.state.filter,functions:[e.detail.function_id]}})}},{id:`filter-rank`,title:`Only the rank of the selected call`,group:`Select and filter`,keys:[{code:`KeyO`,shift:!0}],when:e=>e.store.state.selection!==null,run:e=>e.store.set({filter:{...e.store.state.filter,ranks:String(e.store.state.selection.rank)}})},{id:`select-window`,title:`Select what is in sight as an area`,group:`Select and filter`,keys:[{code:`KeyX`}],when:e=>en(e)&&e.run!==null,run:e=>{let{from:t,until:n,row_from:r,row_until:i}=e.window;e.store.set({area:{from:t,until:n,row_from:Math.floor(r),row_until:Math.ceil(i)}})}}],fn=[{id:`overview`,title:`Overview`,group:`Page`,keys:[{code:`Digit1`}],run:e=>e.store.set({page:`overview`})},{id:`views`,title:`Timeline and views`,group:`Page`,keys:[{code:`Digit2`}],run:e=>e.store.set({page:`views`})},{id:`palette`,title:`Command palette`,group:`Page`,keys:[{code:`KeyP`,ctrl:!0,shift:!0},{code:`F1`}],run:e=>e.open(`palette`)},{id:`help`,title:`Keys and mouse`,group:`Page`,keys:[{key:`?`}],run:e=>e.open(`help`)},{id:`theme`,title:`Dark or light`,group:`Page`,keys:[{code:`KeyT`}],run:e=>e.setTheme(e.theme===`dark`?`light`:`dark`)},{id:`single-keys`,title:`Single-key shortcuts: on or off`,group:`Page`,keys:[],run:e=>e.setSingleKeys(!e.hasSingleKeys)},{id:`copy-link`,title:`Copy a link to this view`,group:`Page`,keys:[{code:`KeyY`}],run:e=>{e.store.flush(),navigator.clipboard?.writeText(window.location.href).then(()=>e.say(`The link is copied.`),()=>e.say(`The browser does not let the link be copied; it stands in the address bar.`))}},{id:`colouring`,title:`Colours by function or by class`,group:`Show`,keys:[{code:`KeyB`}],when:en,run:e=>e.store.set({colouring:e.store.state.colouring===`class`?`function`:`class`})},{id:`scope`,title:`Panes: what is in sight, or the whole run`,group:`Show`,keys:[{code:`KeyU`}],when:en,run:e=>e.store.set({scope:e.store.state.scope===`run`?`window`:`run`})},{id:`timeline-table`,title:`Timeline as a table, or as a picture`,group:`Show`,keys:[{code:`KeyV`}],when:en,run:e=>pn(e,`timeline`)},{id:`reset`,title:`Everything as at the beginning`,group:`Page`,keys:[],run:e=>e.store.set({...F,page:e.store.state.page})}];function pn(e,t){let{twins:n}=e.store.state;e.store.set({twins:n.includes(t)?n.filter(e=>e!==t):[...n,t].sort()})}var mn=[...Jt,...$t,...dn,...on,...un,...sn,...fn];function R(e){return e.status===409?hn():y`<div class="error" role="alert"><b>${gn(e.message)}</b><br />${e.next}</div>`}function hn(){return y`<p class="note">This is available when the run is read.</p>`}var gn=e=>{let t=e.charAt(0).toUpperCase()+e.slice(1);return/[.!?]$/.test(t)?t:`${t}.`},z=o`
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
    padding: 14px;
    color: var(--muted);
  }
  .error {
    padding: 14px;
  }
  .error b {
    color: var(--bad);
  }
`,_n=o`
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
`,vn={send:[682150,3114696],receive:[1933166,8702654],completion:[15247416,13208875],probe:[12099584,13878858],barrier:[9836590,13132661],collective:[13926832,11361162],rma:[8017336,11111400],file:[9200185,12884588],objects:[7048739,9087822],setup:[7173764,6121595],local:[10134706,7700623]},yn=vn.local,bn={light:15198959,dark:2502201},xn={light:2759168,dark:461068},Sn=e=>e>>16&255,Cn=e=>e>>8&255,wn=e=>e&255;function Tn(e,t,n){let r=(e,t)=>Math.round(e+(t-e)*n);return r(Sn(e),Sn(t))<<16|r(Cn(e),Cn(t))<<8|r(wn(e),wn(t))}function B(e){return`#${e.toString(16).padStart(6,`0`)}`}function En(e){return(255<<24|wn(e)<<16|Cn(e)<<8|Sn(e))>>>0}function V(e,t){let n=vn[e]??yn;return t===`light`?n[0]:n[1]}var Dn=[0,-.28,.3,-.14,.16];function On(e,t,n){let r=V(t,n),i=Dn[Math.imul(e,2654435761)>>>29<Dn.length?Math.imul(e,2654435761)>>>29:e%Dn.length]??0;return i<0?Tn(r,0,-i):Tn(r,16777215,i)}function kn(e){let t=e=>e/255<=.04045?e/255/12.92:((e/255+.055)/1.055)**2.4;return .2126*t(Sn(e))+.7152*t(Cn(e))+.0722*t(wn(e))>.179?`#000000`:`#ffffff`}function An(e,t){let n=t===`light`?[15133941,11125728,6131652,2775708,730196]:[2042943,2576511,4162488,9092829,15923160],r=Math.max(0,Math.min(1,e))*(n.length-1),i=Math.min(n.length-2,Math.floor(r));return Tn(n[i],n[i+1],r-i)}function jn(e,t){let n=e.names?.classOf(t)??`local`;return Nn(B(e.store.state.colouring===`class`?V(n,e.theme):On(t,n,e.theme)))}function Mn(e,t){return Nn(B(V(t,e.theme)))}function Nn(e,t=!1){return y`<svg width="11" height="11" viewBox="0 0 11 11" aria-hidden="true" class="swatch">
    <rect width="11" height="11" rx="2" fill=${e}></rect>
    ${t?De`<path d="M0 5L5 0M0 11L11 0M5 11L11 5" stroke="#000" stroke-opacity=".6" stroke-width="1.4"></path>`:``}
  </svg>`}var H=class{#e;#t;#n=()=>{this.#t?.(),this.#e.requestUpdate()};constructor(e,t=null){this.#e=e,this.#t=t,e.addController(this)}hostConnected(){this.#e.app.addEventListener(`change`,this.#n),queueMicrotask(()=>this.#t?.())}hostDisconnected(){this.#e.app.removeEventListener(`change`,this.#n)}};function U(e,t){if(e.isLog){let n=Math.log(Math.max(e.min,Number.MIN_VALUE)),r=Math.log(Math.max(e.max,Number.MIN_VALUE));return r>n?(Math.log(Math.max(t,Number.MIN_VALUE))-n)/(r-n):.5}return e.max>e.min?(t-e.min)/(e.max-e.min):.5}function Pn(e,t){if(e.isLog){let n=Math.log(Math.max(e.min,Number.MIN_VALUE)),r=Math.log(Math.max(e.max,Number.MIN_VALUE));return Math.exp(n+(r-n)*t)}return e.min+(e.max-e.min)*t}function Fn(e,t,n=!1){let r=e/Math.max(1,t);if(!(r>0)||!Number.isFinite(r))return 1;if(n)return 2**Math.ceil(Math.log2(r));let i=10**Math.floor(Math.log10(r));for(let e of[1,2,5,10])if(e*i>=r*(1-1e-9))return e*i;return 10*i}function In(e,t,n,r=!1){let i=Fn(t-e,n,r),a=[];for(let n=Math.ceil(e/i-1e-9);n*i<=t+i*1e-9;n++)a.push(n*i);return a}function Ln(e,t,n,r=!1){let i=r?2:10,a=Math.ceil(Math.log(Math.max(e,Number.MIN_VALUE))/Math.log(i)-1e-9),o=Math.floor(Math.log(Math.max(t,Number.MIN_VALUE))/Math.log(i)+1e-9),s=Math.max(1,Math.ceil((o-a+1)/Math.max(1,n))),c=[];for(let e=a;e<=o;e++)(e-a)%s===0&&c.push(i**e);return c.length>=2?c:In(e,t,Math.min(n,4),r)}function Rn(e,t,n=``){let r=n===`bytes`;return e.isLog?Ln(e.min,e.max,t,r):In(e.min,e.max,t,r)}var zn=60,Bn=18,Vn=26,Hn=20,Un=14,Wn=10;function Gn(e,t,n,r){let i=r?Bn:0,a=zn+i,o=n?Un:0,s=46+o;return{width:e,height:t,left:a,top:s,plotWidth:Math.max(1,e-a-Wn),plotHeight:Math.max(1,t-s-2),mapTop:0,mapHeight:Vn,axisTop:Vn,axisHeight:Hn,rulerTop:46,rulerHeight:o,groupWidth:i}}var W=(e,t,n)=>e.left+(n-t.from)/(t.until-t.from)*e.plotWidth,Kn=(e,t,n)=>t.from+(n-e.left)/e.plotWidth*(t.until-t.from),G=(e,t,n)=>e.top+(n-t.row_from)/(t.row_until-t.row_from)*e.plotHeight,qn=(e,t,n)=>t.row_from+(n-e.top)/e.plotHeight*(t.row_until-t.row_from),K=(e,t)=>e.plotHeight/(t.row_until-t.row_from);function Jn(e,t,n){return n<e.mapHeight?t>=e.left&&t<=e.left+e.plotWidth?`map`:`none`:t>e.left+e.plotWidth?n>=e.top?`scroll`:`none`:n<e.axisTop+e.axisHeight?t>=e.left?`axis`:`none`:n<e.top?t>=e.left?`ruler`:`none`:t<e.left?`gutter`:`plot`}function Yn(e,t){let n=(e.until-e.from)/2,r=(e.row_until-e.row_from)/4;return{from:Math.max(t.from,Math.floor(e.from-n)),until:Math.min(t.until,Math.ceil(e.until+n)),row_from:Math.max(0,Math.floor(e.row_from-r)),row_until:Math.min(t.row_until,Math.ceil(e.row_until+r))}}function Xn(e,t,n){let r=(t.until-t.from)*1e-6;if(e.from>t.from+r||e.until<t.until-r||e.row_from>t.row_from+1e-6||e.row_until<t.row_until-1e-6)return!1;let i=e.nsPerPx/((t.until-t.from)/n.plotWidth),a=e.rowsPerPx/((t.row_until-t.row_from)/n.plotHeight);return i>.6&&i<1.25&&a>.75&&a<1.3}var q={light:{text:`#1a1f27`,muted:`#586172`,line:`#d5d9e0`,faint:`#eceef2`,panel:`#ffffff`,background:`#f5f6f8`,compute:`#e7eaef`,accent:`#1257b8`,shade:`rgba(70, 80, 100, 0.28)`,selection:`#111111`,arrow:`rgba(20, 24, 32, 0.5)`,collective:`rgba(150, 40, 110, 0.55)`,path:`#c2101c`,absent:`#c9ced6`,phases:[`#dfe4ec`,`#ccd3de`]},dark:{text:`#e3e8ef`,muted:`#9ca8b9`,line:`#2e3744`,faint:`#1e242d`,panel:`#181d25`,background:`#11151b`,compute:`#262e39`,accent:`#7db5ff`,shade:`rgba(0, 0, 0, 0.5)`,selection:`#ffffff`,arrow:`rgba(245, 248, 252, 0.55)`,collective:`rgba(240, 160, 215, 0.55)`,path:`#ff6b6b`,absent:`#3a4453`,phases:[`#2a323e`,`#353f4d`]}},Zn=`11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`,J=`10px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`,Qn=105;function $n(e,{layout:t,whole:n,window:r,pictures:i,ink:a}){let o=t.mapTop+3,s=t.mapHeight-6;e.fillStyle=a.compute,e.fillRect(t.left,o,t.plotWidth,s);let c=n.until-n.from,l=i.base;if(l){e.imageSmoothingEnabled=!0;let r=l.bitmap.width*Math.max(0,n.from-l.from)/(l.until-l.from),i=Math.min(l.bitmap.width-r,l.bitmap.width*c/(l.until-l.from));e.drawImage(l.bitmap,r,0,i,l.bitmap.height,t.left,o,t.plotWidth,s)}let u=t.left+(r.from-n.from)/c*t.plotWidth,d=Math.max(u+2,t.left+(r.until-n.from)/c*t.plotWidth);(u>t.left||d<t.left+t.plotWidth-.5)&&(e.fillStyle=a.shade,e.fillRect(t.left,o,u-t.left,s),e.fillRect(d,o,t.left+t.plotWidth-d,s),e.strokeStyle=a.accent,e.lineWidth=2,e.strokeRect(u,o-1,d-u,s+2)),e.font=J,e.textAlign=`right`,e.textBaseline=`middle`,e.fillStyle=a.muted,e.fillText(`whole run`,t.left-6,o+s/2)}function er(e,t,n){let r=Fn(t-e,n),i=In(e,t,n);if(r>=1e5)return{base:null,step:r,ticks:i,texts:i.map(e=>j(e,r))};let a=10**Math.ceil(Math.log10(t-e)),o=Math.floor(e/a)*a;return{base:o,step:r,ticks:i,texts:i.map(e=>`+${E(Math.round((e-o)*1e3)/1e3)}`)}}function tr(e,{layout:t,window:n,ink:r}){let i=t.axisTop,{base:a,ticks:o,texts:s}=er(n.from,n.until,Math.max(2,t.plotWidth/Qn));e.strokeStyle=r.line,e.lineWidth=1,e.font=Zn,e.textBaseline=`middle`,e.textAlign=`left`,o.forEach((a,o)=>{let c=Math.round(W(t,n,a))+.5;e.beginPath(),e.moveTo(c,i+4),e.lineTo(c,i+t.axisHeight),e.stroke(),c+60>t.left+t.plotWidth||(e.fillStyle=r.muted,e.fillText(s[o],c+4,i+t.axisHeight/2+1))}),a!==null&&(e.textAlign=`right`,e.fillStyle=r.text,e.font=J,e.fillText(j(a,10**Math.floor(Math.log10(Math.max(1,n.until-n.from)))),t.left-4,i+t.axisHeight/2+1,t.left-6))}function nr(e,{app:t,layout:n,window:r,ink:i}){let a=t.run?.iterations;if(!a||!n.rulerHeight)return;let o=n.rulerTop,s=n.rulerHeight-3,{from_ns:c,until_ns:l,phases:u}=a;e.font=J,e.textBaseline=`middle`,e.textAlign=`right`,e.fillStyle=i.muted,e.fillText(`iteration`,n.left-6,o+s/2),e.save(),e.beginPath(),e.rect(n.left,o,n.plotWidth,s),e.clip();let d=rr(l,r.from),f=(c.length>1?(c[c.length-1]-c[0])/(c.length-1):r.until-r.from)/(r.until-r.from)*n.plotWidth,p=f>=3?1:Math.ceil(3/Math.max(f,1e-9)),m=p*Math.max(1,Fn(Math.ceil(34/Math.max(f,1e-9)/p),1));d=Math.max(0,d-d%p);let h=function*(e){for(let t=d-d%e;t<c.length&&c[t]<r.until;t+=e)yield[t,W(n,r,c[t]),W(n,r,l[Math.min(t+e-1,l.length-1)])]};for(let[t,n,r]of h(p))if(e.fillStyle=i.phases[t/p%2],e.fillRect(n,o,Math.max(1,r-n),s),!(!u||r-n<160))for(let t of u){let a=n+(r-n)*t.from;e.fillStyle=i.muted,e.fillRect(a,o,1,s);let c=t.name.replace(/^computation between .*/,`computation`);a>n+20&&(r-n)*(t.until-t.from)>e.measureText(c).width+8&&(e.textAlign=`left`,e.fillText(c,a+4,o+s/2+.5))}e.fillStyle=i.text,e.textAlign=`left`;let g=n.left;for(let[t,r,i]of h(m)){let a=Math.max(r,n.left)+3;i<=n.left||a<g||(e.fillText(String(t),a,o+s/2+.5),g=a+e.measureText(String(t)).width+8)}e.restore()}function rr(e,t){let n=0,r=e.length;for(;n<r;){let i=n+r>>1;e[i]<t?n=i+1:r=i}return n}function ir(e,{app:t,layout:n,window:r,ink:i}){let a=K(n,r);e.save(),e.beginPath(),e.rect(0,n.top,n.left,n.plotHeight),e.clip();let o=t.order?.value??null,s=0;if(o)for(let e of o)s=Math.max(s,e);let c=a>=13?1:Math.max(1,Fn(Math.ceil(13/a),1)),l=t.store.state.selection?t.positions[t.store.state.selection.rank]??-1:-1;e.font=Zn,e.textAlign=`right`,e.textBaseline=`middle`;for(let u=Math.max(0,Math.floor(r.row_from/c)*c);u<Math.min(t.rows,r.row_until);u+=c){let d=G(n,r,u),f=l>=u&&l<u+c;if(o&&s>0){e.fillStyle=i.line;let t=(o[u]??0)/s*(n.left-n.groupWidth-4);e.fillRect(n.left-2-t,d+1,t,Math.max(1,a*c-2))}e.fillStyle=f?i.accent:i.text;let p=t.worldRank(t.rankAt(f&&c>1?l:u));e.fillText(String(p),n.left-6,d+Math.max(a/2,6)+.5)}ar(e,t.order?.groups??[],{l:n,w:r,ink:i}),e.restore(),e.fillStyle=i.muted,e.font=J,n.rulerHeight||(e.textAlign=`right`,e.fillText(`rank`,n.left-6,n.top-5)),e.fillStyle=i.line,e.fillRect(n.left-1,n.top,1,n.plotHeight)}function ar(e,t,{l:n,w:r,ink:i}){t.forEach((t,a)=>{let o=Math.max(n.top,G(n,r,t.from)),s=Math.min(n.top+n.plotHeight,G(n,r,t.until));s<=o||(e.fillStyle=i.phases[a%2],e.fillRect(0,o,n.groupWidth-2,s-o-1),e.fillStyle=i.text,e.font=J,s-o<30||(e.save(),e.translate(n.groupWidth/2-1,(o+s)/2),e.rotate(-Math.PI/2),e.textAlign=`center`,e.fillText(t.text,0,0,s-o-4),e.restore()))})}function or(e,{whole:t,window:n,layout:r,ink:i}){let a=t.row_until-t.row_from;if(n.row_until-n.row_from>=a-1e-6)return;let o=r.left+r.plotWidth+2,s=r.top+(n.row_from-t.row_from)/a*r.plotHeight,c=Math.max(12,(n.row_until-n.row_from)/a*r.plotHeight);e.fillStyle=i.faint,e.fillRect(o,r.top,7,r.plotHeight),e.fillStyle=i.muted,e.fillRect(o,Math.min(s,r.top+r.plotHeight-c),7,c)}function sr({app:e,window:t,pictures:n}){let r=`${Math.max(0,Math.floor(t.row_from))} to ${Math.max(0,Math.ceil(t.row_until)-1)}`,i=(t.until-t.from)/1e3,a=n.cells?`, about ${k(n.cells.head.calls_total)} calls`:``;return`Timeline of ${e.store.state.order?`rows`:`ranks`} ${r} from ${j(t.from,i)} to ${j(t.until,i)}${a}`}function cr(e,t,n,r,i){let a=-1,o=1/0;for(let s=0;s<e.length;s++){if(e.rank[s]!==t||i(e.function[s]))continue;let c=e.start_ns[s],l=c+e.duration_ns[s],u=n<c?c-n:n>l?n-l:0;if(u>r)continue;let d=u*1e6+e.duration_ns[s];d<o&&(o=d,a=s)}return a}function lr(e,t,n){let{head:r}=e;if(!e.offset.length)return null;let i=Math.floor((t-r.row_from)/r.rows_per_block),a=Math.floor((n-r.from_ns)/r.bin_ns);if(i<0||i>=r.rows||a<0||a>=r.columns_count)return null;let o=i*r.columns_count+a,s=[],c=0;for(let t=e.offset[o];t<e.offset[o+1];t++){let n=e.share[t]/65535;e.function[t]===65535?c=n:s.push({id:e.function[t],share:n})}return s.sort((e,t)=>t.share-e.share||e.id-t.id),{row_from:r.row_from+i*r.rows_per_block,row_until:r.row_from+(i+1)*r.rows_per_block,from:r.from_ns+a*r.bin_ns,until:r.from_ns+(a+1)*r.bin_ns,shares:s,waiting:c,calls:e.calls[o],longest_ns:e.longest_ns[o],longest_rank:e.longest_rank[o],longest_row:e.longest_row[o]}}var ur={u8:Uint8Array,u16:Uint16Array,u32:Uint32Array,i32:Int32Array,f32:Float32Array,f64:Float64Array},dr=826692429,fr=e=>e+7&-8,Y=class extends Error{};function pr(e){if(e.byteLength<8)throw new Y(`the answer is shorter than a frame's beginning`);let t=new DataView(e);if(t.getUint32(0,!0)!==dr)throw new Y(`the answer is no frame`);let n=t.getUint32(4,!0);if(8+n>e.byteLength)throw new Y(`the frame's head is cut off`);let r;try{r=JSON.parse(new TextDecoder().decode(new Uint8Array(e,8,n)))}catch{throw new Y(`the frame's head is no JSON`)}let i=r.columns;if(!Array.isArray(i))throw new Y(`the frame's head names no columns`);let a=new Map,o=fr(8+n);for(let t of i){let n=ur[t.type];if(!n)throw new Y(`the frame has a column of unknown type ${t.type}`);let r=o+t.length*n.BYTES_PER_ELEMENT;if(r>e.byteLength)throw new Y(`the frame is cut off in column ${t.name}`);a.set(t.name,new n(e,o,t.length)),o=fr(r)}return{head:r,columns:a,buffer:e}}function X(e,t){let n=e.columns.get(t);if(!n)throw new Y(`the frame has no column ${t}`);return n}function mr(e){let t=[];for(let[n,r]of Object.entries(e).sort(([e],[t])=>e<t?-1:1)){if(r==null||r===``)continue;let e;if(Array.isArray(r)){if(r.length===0)continue;e=r.join(`,`)}else e=typeof r==`boolean`?r?`1`:`0`:String(r);t.push(`${n}=${encodeURIComponent(e)}`)}return t.length?`?${t.join(`&`)}`:``}var hr=class{#e;constructor(e){this.#e=e.endsWith(`/`)?e:`${e}/`}async#t(e,t,n){let r;try{r=await fetch(`${this.#e}${e}${mr(t)}`,n?{signal:n}:{})}catch(e){throw Ye(e)?e:T(e)}if(r.ok)return r;let i=await r.json().catch(()=>null);throw new Je(r.status,i?.error?.what??`mpiscope answered ${r.status} ${r.statusText}`,i?.error?.next??"Start `mpiscope view` again and open the address it prints.")}async#n(e,t,n){return await(await this.#t(e,t,n)).json()}async#r(e,t,n){return pr(await(await this.#t(e,t,n)).arrayBuffer())}run(e){return this.#n(`run`,{},e)}progress(e){return this.#n(`progress`,{},e)}async working(e,t){return(await this.#n(`working`,{of_ask:e},t)).done}report(e){return this.#n(`report`,{},e)}async order(e,t){let n=await this.#r(`order`,{order:e},t);return{groups:n.head.groups??[],unit:n.head.unit??null,ranks:X(n,`rank`),value:n.columns.get(`value`)??null}}async cells(e,t){return gr((await this.#t(`cells`,e,t)).arrayBuffer())}async calls(e,t){let n=await this.#r(`calls`,e,t),r=X(n,`start_ns`);return{head:n.head,length:r.length,rank:X(n,`rank`),thread:X(n,`thread`),row:X(n,`row`),start_ns:r,duration_ns:X(n,`duration_ns`),function:X(n,`function`),count:X(n,`count`),comm:X(n,`comm`),peer:X(n,`peer`),tag:X(n,`tag`),bytes_sent:X(n,`bytes_sent`),bytes_received:X(n,`bytes_received`),site:X(n,`site`),region:X(n,`region`),flags:X(n,`flags`)}}async messages(e,t){let n=await this.#r(`messages`,e,t),r=X(n,`sender`);return{head:n.head,length:r.length,sender:r,receiver:X(n,`receiver`),send_row:X(n,`send_row`),receive_row:X(n,`receive_row`),sent_ns:X(n,`sent_ns`),received_ns:X(n,`received_ns`),bytes:X(n,`bytes`),tag:X(n,`tag`)}}async collectives(e,t){let n=await this.#r(`collectives`,e,t);return{head:n.head,operation:X(n,`operation`),function:X(n,`function`),comm:X(n,`comm`),member_offset:X(n,`member_offset`),rank:X(n,`rank`),row:X(n,`row`),start_ns:X(n,`start_ns`),end_ns:X(n,`end_ns`)}}async waits(e,t){let n=await this.#r(`waits`,e,t),r=X(n,`rank`);return{head:n.head,length:r.length,rank:r,start_ns:X(n,`start_ns`),end_ns:X(n,`end_ns`),kind:X(n,`kind`),cause_rank:X(n,`cause_rank`)}}async regions(e,t){let n=await this.#r(`regions`,e,t),r=X(n,`rank`);return{length:r.length,rank:r,region:X(n,`region`),depth:X(n,`depth`),start_ns:X(n,`start_ns`),end_ns:X(n,`end_ns`)}}async path(e){let t=await this.#r(`path`,{},e),n=X(t,`rank`);return{length:n.length,rank:n,from_ns:X(t,`from_ns`),until_ns:X(t,`until_ns`)}}call(e,t){return this.#n(`call`,{rank:e.rank,row:e.row},t)}step(e,t,n,r={},i){return this.#n(`step`,{rank:e.rank,row:e.row,by:t,direction:n,...r},i)}find(e,t,n,r){return this.#n(`find`,{...n,text:e,direction:t},r)}async scatter(e,t){let n=await this.#r(`scatter`,e,t),{x_axis:r,y_axis:i,total:a,form:o,fit:s,basis:c}=n.head,l=o===`points`;return{basis:c,x:r,y:i,total:a,form:o,fit:s??null,points:l?{x:X(n,`x`),y:X(n,`y`),rank:X(n,`rank`),row:X(n,`row`),function:X(n,`function`)}:null,density:l?null:{width:n.head.width??e.width,height:n.head.height??e.height,count:X(n,`count`),function:X(n,`function`)}}}histogram(e,t){return this.#n(`histogram`,e,t)}groups(e,t){return this.#n(`groups`,e,t)}async matrix(e,t){let n=await this.#r(`matrix`,e,t);return{rows:n.head.rows,labels:n.head.labels,ranks_per_block:n.head.ranks_per_block,sender:X(n,`sender`),receiver:X(n,`receiver`),count:X(n,`count`),bytes:X(n,`bytes`),longest_ns:X(n,`longest_ns`),latency_ns:X(n,`latency_ns`),basis:n.head.basis}}};async function gr(e){return _r(await e)}function _r(e){let t=pr(e);return{head:t.head,offset:X(t,`offset`),function:X(t,`function`),share:X(t,`share`),calls:X(t,`calls`),longest_ns:X(t,`longest_ns`),longest_rank:X(t,`longest_rank`),longest_row:X(t,`longest_row`),buffer:e}}var vr=class{#e=new Worker(new URL(new URL(`raster.worker.js`,import.meta.url).href,``+import.meta.url),{type:`module`,name:`raster`});#t=new Map;#n=0;constructor(){this.#e.onmessage=e=>{this.#t.get(e.data.id)?.(e.data),this.#t.delete(e.data.id)}}draw(e,t=[]){let n=this.#n++;return new Promise(r=>{this.#t.set(n,r),this.#e.postMessage({...e,id:n},t)})}close(){this.#e.terminate()}},yr=65535/4,br=8;function xr(e,t,n){let{head:r}=e,i=n.map(e=>{let t=0;for(let r=e.parent;r!==null&&t<br;r=n[r]?.parent??null)t++;return t}),a=new Map;t.forEach((e,t)=>e>=0&&a.set(e,t));let o=[],s=[],c=[],l=[],u=[],d=new Int32Array(br),f=new Uint16Array(br),p=new Int32Array(br);for(let t=0;t<r.rows;t++){let n=a.get(r.row_from+t);if(n!==void 0){p.fill(-1);for(let a=0;a<r.columns_count;a++){d.fill(-1),f.fill(0);let m=t*r.columns_count+a;for(let t=e.offset[m];t<e.offset[m+1];t++){let n=e.function[t],r=i[n];r===void 0||r>=br||e.share[t]<yr||e.share[t]<=f[r]||(d[r]=n,f[r]=e.share[t])}let h=r.from_ns+a*r.bin_ns;for(let e=0;e<br;e++){let t=p[e];t>=0&&s[t]===d[e]?u[t]=h+r.bin_ns:d[e]>=0?(p[e]=o.length,o.push(n),s.push(d[e]),c.push(e),l.push(h),u.push(h+r.bin_ns)):p[e]=-1}}}}return{length:o.length,rank:Uint32Array.from(o),region:Uint32Array.from(s),depth:Uint8Array.from(c),start_ns:Float64Array.from(l),end_ns:Float64Array.from(u)}}var Sr=65536;function Cr(e,t,n,r,i){let a=new Uint32Array(Sr),o=new Uint32Array(Sr),s=t===null?null:new Set(t),c=new Map(e.classes.map((e,t)=>[e.id,t]));for(let t of e.functions)o[t.id]=(c.get(t.class)??255)*Sr+t.id,(!s||s.has(t.id))&&(a[t.id]=En(n===`class`?V(t.class,r):On(t.id,t.class,r)));return{colours:a,places:o,compute:En(bn[r]),hatch:En(xn[r]),hasWaits:i}}var wr=4e4,Tr=2e3,Er=500,Dr=400,Or=60,kr=.34,Ar=36;function jr(e){return e>=16?Math.min(Ar,Math.floor(e*kr)):0}var Mr=class{#e;#t;#n;#r;#i;#a;#o;#s;#c;#l;#u;#d;#f;#p;#m;#h;#g;#_;#v;#y;#b;#x;constructor(e,t){this.base=null,this.near=null,this.single=null,this.cells=null,this.calls=null,this.isSingle=!1,this.waits=null,this.messages=null,this.collectives=null,this.regions=null,this.path=null,this.error=null,this.isBusy=!1,this.done=null,this.#e=`t${Math.random().toString(36).slice(2,8)}`,this.#t=0,this.#i=new vr,this.#a=new Xe,this.#o=new Xe,this.#s=new Xe,this.#c=null,this.#l=0,this.#u=null,this.#d=``,this.#f=null,this.#p=``,this.#m=null,this.#h=null,this.#g=null,this.#_=!1,this.#v=0,this.#y=``,this.#b=!1,this.#x=null,this.#n=e,this.#r=t}close(){this.#a.cancel(),this.#o.cancel(),this.#s.cancel(),this.#c!==null&&clearTimeout(this.#c),this.#i.close()}get#S(){let{order:e,filter:t}=this.#n.store.state;return JSON.stringify([e,t,this.#n.growth,this.#n.rows])}update(e,t){let n=this.#n;if(!n.run||n.run.state===`failed`||n.rows===0)return;this.#h=e;let r=this.#m?.plotWidth!==t.plotWidth||this.#m?.plotHeight!==t.plotHeight;this.#m=t;let i=n.store.state,a=i.layers,o=JSON.stringify([i.hidden,i.filter.functions,i.colouring,n.theme,a.includes(`waits`),a.includes(`regions`),n.run.functions.length]),s=this.#S;o!==this.#p&&(this.#p=o,this.#f=Cr(n.run,ft(i,n.run.functions),i.colouring,n.theme,a.includes(`waits`)),this.cells&&this.#M(),this.#d=``),(s!==this.#d||r)&&(this.#d=s,this.#A()),a.includes(`path`)&&!this.#b&&n.run.is_explained&&this.#j();let c=this.#u;if((this.#x===null||Nr(e,this.#x))&&c&&c.data===s&&Xn({...c.window,nsPerPx:c.nsPerPx,rowsPerPx:c.rowsPerPx},e,t))return;let l=JSON.stringify([i.order,i.filter]);l!==this.#y&&(this.#y=l,this.near=null,this.#O()),this.#C()}#C(){if(this.#c!==null)return;let e=Math.max(0,this.#l+Or-performance.now());this.#c=setTimeout(()=>{this.#c=null,this.#w()},e)}async#w(){let e=this.#n,t=this.#m,n=this.#h;if(!t||!n||!e.run)return;this.#l=performance.now();let r=Yn(n,e.whole),i=devicePixelRatio||1,a=(r.until-r.from)/(n.until-n.from),o=(r.row_until-r.row_from)/(n.row_until-n.row_from),s=(n.until-n.from)/t.plotWidth,c=(n.row_until-n.row_from)/t.plotHeight,l=this.#S;this.#u={window:r,nsPerPx:s,rowsPerPx:c,data:l},this.isBusy=!0,this.#r();let u=`${this.#e}-${this.#t++}`;try{await this.#a.run(async n=>{let{order:l}=e.store.state;this.#E(u,n);let d=await e.client.cells({from:Math.floor(r.from),until:Math.ceil(r.until),columns:Math.min(4096,Math.max(16,Math.round(t.plotWidth*a*i))),row_from:r.row_from,row_until:r.row_until,rows:Math.min(2048,Math.max(1,Math.round(t.plotHeight*o))),order:l,...this.#T,ask:u},n);if(n.aborted)return;this.error=null,this.done=null,this.cells=d;let f=d.head.calls_total<=wr,p=this.#N(d,s,c);await Promise.all([p,f?this.#k(r,n):this.#D(r,t,d,n)])})}catch(e){Ye(e)||(this.error=T(e))}this.isBusy=this.#a.isBusy,this.isBusy||(this.done=null),this.#r()}get#T(){let{filter:e}=this.#n.store.state;return this.#n.run?.state===`ready`?e:{functions:e.functions}}async#E(e,t){let{filter:n}=this.#n.store.state;if(this.done=null,zt(n)&&!Bt(n))for(;;){if(await new Promise(e=>setTimeout(e,Dr)),t.aborted||!this.isBusy)return;let n=await this.#n.client.working(e,t).catch(()=>null);if(t.aborted||!this.isBusy)return;n!==null&&(this.done=n,this.#r())}}async#D(e,t,n,r){this.#O();let i=this.#n,{head:a}=n;if(!(i.store.state.layers.includes(`regions`)&&i.run.regions.length>0&&i.run.state===`ready`)||a.rows_per_block!==1||jr(K(t,this.#h))===0)return;let o=await i.client.cells({from:Math.floor(e.from),until:Math.ceil(e.until),columns:Math.min(4096,Math.max(16,2*a.columns_count)),row_from:a.row_from,row_until:a.row_from+a.rows,rows:Math.min(2048,a.rows),order:i.store.state.order,layer:`regions`},r).catch(Pr);!r.aborted&&o&&(this.regions=xr(o,i.positions,i.run.regions),this.#r())}#O(){this.single=null,this.calls=null,this.isSingle=!1,this.waits=null,this.messages=null,this.#x=null,this.collectives=null,this.regions=null}async#k(e,t){let n=this.#n,r=n.run;if(r.state!==`ready`)return;let{order:i,filter:a}=n.store.state,o={from:Math.floor(e.from),until:Math.ceil(e.until),row_from:e.row_from,row_until:e.row_until,order:i},s=wr,[c,l,u,d,f]=await Promise.all([n.client.calls({...a,...o,limit:s},t),n.client.waits({...o,limit:s},t).catch(Pr),n.client.messages({...o,limit:Tr},t).catch(Pr),n.client.collectives({...o,limit:Er},t).catch(Pr),r.regions.length?n.client.regions({...o,limit:wr},t).catch(Pr):null]);if(t.aborted)return;let p=this.#h,m={...o,from:Math.floor(p.from),until:Math.ceil(p.until),row_from:Math.floor(p.row_from),row_until:Math.ceil(p.row_until)},h=u?.head.is_cut?await n.client.messages({...m,limit:Tr},t).catch(Pr):null;t.aborted||(this.calls=c,this.waits=l,this.messages=h??u,this.#x=h&&!h.head.is_cut?m:null,this.collectives=d,this.regions=f,this.isSingle=!c.head.is_cut,this.#g=e,await this.#P())}async#A(){let e=this.#n,t=this.#m,n=e.whole;try{await this.#o.run(async r=>{let{order:i,filter:a}=e.store.state,o=await e.client.cells({from:n.from,until:n.until,columns:Math.min(2048,Math.max(16,t.plotWidth)),row_from:0,row_until:n.row_until,rows:64,order:i,functions:a.functions},r),s=Math.max(1,Math.min(6,Math.floor(192/Math.max(1,o.head.rows)))),{head:c}=o,l=await this.#i.draw({kind:`cells`,buffer:o.buffer,rowPx:s,style:{...this.#f,hasWaits:!1}},[o.buffer]);!r.aborted&&l.bitmap&&(this.base={bitmap:l.bitmap,from:c.from_ns,until:c.from_ns+c.columns_count*c.bin_ns,row_from:c.row_from,row_until:c.row_from+c.rows*c.rows_per_block,nsPerPx:c.bin_ns,rowsPerPx:c.rows_per_block/s},this.#r())})}catch(e){Ye(e)||(this.error=T(e),this.#r())}}async#j(){this.#b=!0;try{let e=await this.#s.run(e=>this.#n.client.path(e));e&&(this.path=e),e&&!e.length&&this.#n.say(`The critical path of this run is not known.`)}catch(e){this.#n.fail(e)}this.#r()}async#M(){let e=this.#u;this.cells&&e&&!this.#_&&await this.#N(this.cells,e.nsPerPx,e.rowsPerPx),this.calls&&await this.#P()}async#N(e,t,n){let{head:r}=e;if(!r.rows||!r.columns_count)return;let i=Math.max(1,Math.min(64,Math.round(r.rows_per_block/n)));this.#_=!0;let a=await this.#i.draw({kind:`cells`,buffer:e.buffer,rowPx:i,style:this.#f},[e.buffer]);if(this.#_=!1,a.error)throw Error(a.error);if(this.cells===e&&a.buffer)this.cells=_r(a.buffer);else return;this.near={bitmap:a.bitmap,from:r.from_ns,until:r.from_ns+r.columns_count*r.bin_ns,row_from:r.row_from,row_until:r.row_from+r.rows*r.rows_per_block,nsPerPx:t,rowsPerPx:n},this.#r()}async#P(){let e=this.#n,{calls:t,waits:n}=this,r=this.#g,i=this.#h,a=this.#m;if(!t||!r||!i||!a||!e.run)return;let o=++this.#v,s=Math.max(1,Math.min(64,Math.round(K(a,i)))),c=(i.until-i.from)/a.plotWidth,l=Math.max(1,Math.min(8192,Math.round((r.until-r.from)/c*(devicePixelRatio||1)))),u=e.store.state.layers.includes(`regions`)&&e.run.regions.length>0,d=await this.#i.draw({kind:`calls`,calls:{length:t.length,rank:t.rank,thread:t.thread,start_ns:t.start_ns,duration_ns:t.duration_ns,function:t.function,flags:t.flags},waits:n?{length:n.length,rank:n.rank,start_ns:n.start_ns,end_ns:n.end_ns}:null,view:{...r,width:l,rowPx:s,positions:e.positions,threads:Uint16Array.from(e.run.ranks.threads),free:u?jr(s):0,isFaded:!this.isSingle||this.isFaded},style:this.#f});d.bitmap&&o===this.#v&&this.calls===t&&(this.single={...r,bitmap:d.bitmap,nsPerPx:c,rowsPerPx:1/s},this.#r())}get matching(){let{filter:e}=this.#n.store.state;return!zt(e)||Bt(e)||!this.cells||this.isFaded?null:this.isSingle&&this.calls?this.calls.head.total:this.cells.head.calls_total}get isFaded(){let{filter:e}=this.#n.store.state;return zt(e)&&!Bt(e)&&this.#n.run?.state!==`ready`}},Nr=(e,t)=>e.from>=t.from&&e.until<=t.until&&e.row_from>=t.row_from&&e.row_until<=t.row_until;function Pr(e){if(Ye(e))throw e;return null}var Fr=e=>e>=12?2:+(e>=5),Ir=34,Lr=1200;function Rr(e,t){let{app:n,layout:r,window:i,pictures:a}=t,o=a.calls,s=K(r,i);if(!o||!a.single||s<12||!a.isSingle&&!a.isFaded)return;let c=n.store.state,l=new Set(c.hidden),u=c.layers.includes(`regions`)&&n.run?.regions.length?jr(s):0,d=(i.until-i.from)/r.plotWidth*Ir;e.font=J,e.textBaseline=`middle`,e.textAlign=`left`;let f=0;for(let t=0;t<o.length&&f<Lr;t++){let a=o.duration_ns[t];if(a<d||l.has(o.function[t]))continue;let p=o.rank[t];if((n.run?.ranks.threads[p]??1)>1&&s/n.run.ranks.threads[p]<12)continue;let m=n.positions[p]??-1;if(m+1<=i.row_from||m>=i.row_until||m<0)continue;let h=Math.max(r.left,W(r,i,o.start_ns[t])),g=Math.min(r.left+r.plotWidth,W(r,i,o.start_ns[t]+a));if(g-h<Ir)continue;let ee=o.function[t],te=n.names?.classOf(ee)??`local`,_=c.colouring===`class`?V(te,n.theme):On(ee,te,n.theme),ne=n.names?.short(ee)??``,re=`${ne}  ${E(a)}`,ie=n.run?.ranks.threads[p]??1,ae=(s-Fr(s)-u)/ie,oe=G(r,i,m)+u+ae*(o.thread[t]+.5),se=g-h-8,ce=e.measureText(re).width<=se?re:Br(e,ne,se);if(!ce)continue;let le=e.measureText(ce).width;e.fillStyle=zr(_),e.fillRect(h+2,oe-6,le+4,12),e.fillStyle=kn(_),e.fillText(ce,h+4,oe+.5),f++}}var zr=e=>`#${e.toString(16).padStart(6,`0`)}`;function Br(e,t,n){if(e.measureText(t).width<=n)return t;for(let r=t.length-1;r>=3;r--){let i=`${t.slice(0,r)}…`;if(e.measureText(i).width<=n)return i}return``}function Vr(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.regions,c=jr(K(r,i));if(!s||!c)return;let l=0;for(let e of s.depth)l=Math.max(l,e);let u=Math.max(2,Math.min(13,Math.floor(c/(l+1))));e.font=J,e.textBaseline=`middle`,e.textAlign=`left`;for(let t=0;t<s.length;t++){let a=n.positions[s.rank[t]]??-1;if(a<0||a+1<=i.row_from||a>=i.row_until)continue;let c=Math.max(r.left-2,W(r,i,s.start_ns[t])),l=Math.min(r.left+r.plotWidth+2,W(r,i,s.end_ns[t]));if(l<=c)continue;let d=G(r,i,a)+s.depth[t]*u;e.fillStyle=o.phases[(s.region[t]+s.depth[t])%2],e.fillRect(c,d,Math.max(1,l-c),u-1),e.fillStyle=o.muted,e.fillRect(c,d,1,u-1),u>=10&&l-c>30&&(e.fillStyle=o.text,e.fillText(Br(e,n.names?.region(s.region[t])??``,l-c-6),Math.max(c,r.left)+3,d+u/2))}}function Hr(e,t,n,r,i,a){if(e.beginPath(),e.moveTo(t,n),e.lineTo(r,i),e.stroke(),!a)return;let o=Math.atan2(i-n,r-t);e.beginPath(),e.moveTo(r,i),e.lineTo(r-6*Math.cos(o-.4),i-6*Math.sin(o-.4)),e.lineTo(r-6*Math.cos(o+.4),i-6*Math.sin(o+.4)),e.fill()}function Ur(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.messages,c=K(r,i)/2;if(s&&!s.head.is_cut&&n.store.state.layers.includes(`messages`)){e.strokeStyle=o.arrow,e.fillStyle=o.arrow,e.lineWidth=1;let t=(i.until-i.from)/r.plotWidth;for(let a=0;a<s.length;a++){let o=n.positions[s.sender[a]]??-1,l=n.positions[s.receiver[a]]??-1;if(o<0||l<0)continue;let u=s.sent_ns[a],d=s.received_ns[a];if(d<i.from||u>i.until||Math.max(o,l)+1<i.row_from||Math.min(o,l)>i.row_until)continue;let f=s.length<600||d-u>t*12;Hr(e,W(r,i,u),G(r,i,o)+c,W(r,i,d),G(r,i,l)+c,f)}}let l=n.detail;if(l){e.strokeStyle=o.accent,e.fillStyle=o.accent,e.lineWidth=2;for(let t of l.messages){let a=n.positions[l.rank]??-1,o=n.positions[t.rank]??-1;if(a<0||o<0||t.sent_ns===null||t.received_ns===null)continue;let[s,u]=t.direction.startsWith(`s`)?[a,o]:[o,a];Hr(e,W(r,i,t.sent_ns),G(r,i,s)+c,W(r,i,t.received_ns),G(r,i,u)+c,!0)}}}function Wr(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.collectives;if(!s||s.head.is_cut)return;let c=K(r,i)/2;e.strokeStyle=o.collective,e.lineWidth=1;for(let t=0;t<s.operation.length;t++){let a=[];for(let e=s.member_offset[t];e<s.member_offset[t+1];e++){let t=n.positions[s.rank[e]]??-1;t>=0&&a.push([t,s.start_ns[e],s.end_ns[e]])}a.sort((e,t)=>e[0]-t[0]);for(let t of[1,2])e.setLineDash(t===1?[]:[3,2]),e.beginPath(),a.forEach((n,a)=>{let o=W(r,i,n[t]),s=G(r,i,n[0])+c;a===0?e.moveTo(o,s):e.lineTo(o,s)}),e.stroke()}e.setLineDash([])}function Gr(e,{app:t,layout:n,window:r,pictures:i,ink:a}){let o=i.path;if(!o?.length)return;let s=K(n,r)/2;e.strokeStyle=a.path,e.lineWidth=Math.min(3,Math.max(1.5,s/3)),e.lineJoin=`round`,e.beginPath();let c=!1,l=-1/0;for(let i=Math.max(0,rr(o.until_ns,r.from)-1);i<o.length&&o.from_ns[i]<=r.until;i++){let a=t.positions[o.rank[i]]??-1;if(a<0){c=!1;continue}let u=G(n,r,a)+s,d=Math.max(W(n,r,o.from_ns[i]),n.left-10),f=Math.min(W(n,r,o.until_ns[i]),n.left+n.plotWidth+10);c&&f-l<.5||(c?e.lineTo(d,u):e.moveTo(d,u),e.lineTo(f,u),l=f,c=!0)}e.stroke()}function Kr(e,{app:t,layout:n,window:r,ink:i}){let a=t.detail,o=t.store.state.selection;if(!a||!o||a.rank!==o.rank||a.row!==o.row)return;let s=t.positions[a.rank]??-1;if(s<0)return;let c=Math.max(n.left-4,W(n,r,a.start_ns)),l=Math.min(n.left+n.plotWidth+4,W(n,r,a.start_ns+a.duration_ns)),u=G(n,r,s),d=Math.max(4,K(n,r)-Fr(K(n,r)));e.strokeStyle=i.panel,e.lineWidth=4,e.strokeRect(c-1,u-1,Math.max(3,l-c+2),d+2),e.strokeStyle=i.selection,e.lineWidth=2,e.strokeRect(c-1,u-1,Math.max(3,l-c+2),d+2)}function qr(e,{app:t,layout:n,window:r,drag:i,ink:a}){let o=i??t.store.state.area;if(!o)return;let s=W(n,r,o.from),c=W(n,r,o.until),l=o.row_from===null?n.top:G(n,r,o.row_from),u=o.row_until===null?n.top+n.plotHeight:G(n,r,o.row_until);e.fillStyle=a.shade;let{left:d,top:f,plotWidth:p,plotHeight:m}=n,h=e=>Math.max(d,Math.min(d+p,e)),g=e=>Math.max(f,Math.min(f+m,e));e.fillRect(d,f,p,g(l)-f),e.fillRect(d,g(u),p,f+m-g(u)),e.fillRect(d,g(l),h(s)-d,g(u)-g(l)),e.fillRect(h(c),g(l),d+p-h(c),g(u)-g(l)),e.strokeStyle=a.accent,e.lineWidth=1.5,e.strokeRect(s,l,c-s,u-l);let ee=E(o.until-o.from);e.font=J,e.textAlign=`center`,e.textBaseline=`top`;let te=e.measureText(ee).width+8,_=Math.max(d+te/2,Math.min(d+p-te/2,(h(s)+h(c))/2));e.fillStyle=a.panel,e.fillRect(_-te/2,g(l)+2,te,14),e.fillStyle=a.text,e.fillText(ee,_,g(l)+4)}function Jr(e,{hover:t,layout:n,ink:r}){!t||t.y<n.top||(e.fillStyle=r.shade,e.fillRect(Math.round(t.x),n.top,1,n.plotHeight))}var Yr=.22;function Xr(e,t){let{layout:n,ink:r}=t;e.fillStyle=r.panel,e.fillRect(0,0,n.width,n.height),e.save(),e.beginPath(),e.rect(n.left,n.top,n.plotWidth,n.plotHeight),e.clip(),Zr(e,t),$r(e,t),t.app.store.state.layers.includes(`regions`)&&Vr(e,t),t.app.store.state.layers.includes(`collectives`)&&Wr(e,t),t.app.store.state.layers.includes(`path`)&&Gr(e,t),Ur(e,t),Rr(e,t),Kr(e,t),qr(e,t),Jr(e,t),e.restore(),$n(e,t),tr(e,t),nr(e,t),ir(e,t),or(e,t)}function Zr(e,t){let{layout:n,pictures:r,window:i,ink:a}=t;e.fillStyle=a.background,e.fillRect(n.left,n.top,n.plotWidth,n.plotHeight),e.imageSmoothingEnabled=!1;let o=r.isFaded;e.globalAlpha=o?Yr:1;let s=r.near,c=s!==null&&s.from<=i.from&&s.until>=i.until&&s.row_from<=i.row_from&&s.row_until>=i.row_until;r.base&&!c&&Qr(e,t,r.base),s&&Qr(e,t,s),e.globalAlpha=1,r.single&&(r.isSingle||o)&&Qr(e,t,r.single)}function Qr(e,t,n){let{layout:r,window:i}=t,a=Math.max(n.from,i.from-(i.until-i.from)*.01),o=Math.min(n.until,i.until+(i.until-i.from)*.01),s=Math.max(n.row_from,Math.floor(i.row_from)),c=Math.min(n.row_until,Math.ceil(i.row_until));if(a>=o||s>=c)return;let l=n.bitmap.width*(a-n.from)/(n.until-n.from),u=n.bitmap.width*(o-a)/(n.until-n.from),d=n.bitmap.height*(s-n.row_from)/(n.row_until-n.row_from),f=n.bitmap.height*(c-s)/(n.row_until-n.row_from),p=W(r,i,a),m=G(r,i,s);e.drawImage(n.bitmap,l,d,u,f,p,m,W(r,i,o)-p,G(r,i,c)-m)}function $r(e,t){let{app:n,layout:r,window:i,ink:a}=t,o=n.run?.ranks;if(!o)return;let s=K(r,i);if(s<.5)return;let c=ti(e,a.absent);for(let t=Math.max(0,Math.floor(i.row_from));t<Math.min(n.rows,Math.ceil(i.row_until));t++){let l=n.rankAt(t),u=G(r,i,t),d=s>=5?s-1:s,f=(o.first_ns??o.rows_from_ns)[l];if(f===void 0||!((o.calls_lost[l]??0)>0))continue;let p=W(r,i,f);p>r.left&&(e.fillStyle=c,e.fillRect(r.left,u,Math.min(p,r.left+r.plotWidth)-r.left,d)),p>=r.left&&p<=r.left+r.plotWidth&&(e.fillStyle=a.path,e.fillRect(p-1,u,2,d),s>=13&&p-r.left>120&&(e.font=`10px system-ui, sans-serif`,e.textBaseline=`middle`,e.textAlign=`right`,e.fillStyle=a.text,e.fillText(`overwritten ▸`,p-5,u+d/2)))}}var ei=new Map;function ti(e,t){let n=ei.get(t);if(n)return n;let r=t;if(typeof OffscreenCanvas<`u`){let n=new OffscreenCanvas(8,8),i=n.getContext(`2d`);i.strokeStyle=t,i.lineWidth=1;for(let e of[-8,0,8])i.beginPath(),i.moveTo(e,8),i.lineTo(e+8,0),i.stroke();r=e.createPattern(n,`repeat`)??t}return ei.set(t,r),r}var ni=7;function ri(e,t){let{app:n}=e,r=n.names?.classOf(t)??`local`;return y`<svg class="swatch" viewBox="0 0 9 9" aria-hidden="true"><rect width="9" height="9" fill=${B(n.store.state.colouring===`class`?V(r,n.theme):On(t,r,n.theme))}></rect></svg>`}function ii(e,t,n){let{app:r,window:i,layout:a,pictures:o}=e,s=Math.floor(qn(a,i,t.y)),c=Kn(a,i,t.x),l=r.rankAt(s),u=j(c,(i.until-i.from)/a.plotWidth),d=y`<div class="muted number">rank ${r.worldRank(l)}, ${u}</div>`,{calls:f}=o;if(f&&(o.isSingle||o.isFaded)){let i=n(t.x,t.y);if(i<0)return y`${d}${ai(e,l,c)??`computing`}`;let a=f.bytes_sent[i],o=f.bytes_received[i],s=f.peer[i],u=r.names?.comm(f.comm[i]);return y`${d}
      <b>${ri(e,f.function[i])}${r.names?.function(f.function[i])}</b> ${E(f.duration_ns[i])}
      ${f.count[i]>1?y`<div>${O(f.count[i])} polls</div>`:b}
      <div class="muted">
        ${s>=0?y`peer ${r.worldRank(s)} `:b}${a?y`${D(a)} sent `:b}${o?y`${D(o)} received `:b}${u}
      </div>
      <div class="muted">${r.names?.site(f.site[i])}</div>`}let p=o.cells?lr(o.cells,s,c):null;if(!p)return d;let m=p.row_until-p.row_from>1?y`<div class="muted">${r.order?`rows`:`ranks`} ${p.row_from} to ${Math.min(r.rows,p.row_until)-1}</div>`:b,h=p.shares.reduce((e,t)=>e+t.share,0);return y`${d}${m}
    <table>
      ${p.shares.slice(0,ni).map(t=>y`<tr><td>${ri(e,t.id)}${r.names?.function(t.id)}</td><td class="number">${A(t.share)}</td></tr>`)}
      ${p.shares.length>ni?y`<tr><td class="muted">and ${p.shares.length-ni} more</td></tr>`:b}
      <tr><td>computing</td><td class="number">${A(Math.max(0,1-h))}</td></tr>
      ${p.waiting>0?y`<tr><td>waiting (inside of calls)</td><td class="number">${A(p.waiting)}</td></tr>`:b}
    </table>
    <div class="muted number">${O(p.calls)} calls begin here${p.longest_rank>=0?y`, the longest ${E(p.longest_ns)}`:b}</div>`}function ai(e,t,n){let r=e.app.run?.ranks;if(!r)return null;let i=(r.first_ns??r.rows_from_ns)[t],a=r.calls_lost[t]??0;return i!==void 0&&a>0&&n<i?`overwritten: ${O(a)} calls of this rank are lost`:null}function Z(e,t,n,r){var i=arguments.length,a=i<3?t:r===null?r=Object.getOwnPropertyDescriptor(t,n):r,o;if(typeof Reflect==`object`&&typeof Reflect.decorate==`function`)a=Reflect.decorate(e,t,n,r);else for(var s=e.length-1;s>=0;s--)(o=e[s])&&(a=(i<3?o(a):i>3?o(t,n,a):o(t,n))||a);return i>3&&a&&Object.defineProperty(t,n,a),a}var oi=8,Q=class extends x{constructor(...e){super(...e),this.columns=[],this.count=0,this.label=`Table`,this.sort=null,this.isSelected=()=>!1,this.empty=`Nothing here.`,this.canActivate=!0,this.first=0,this.shown=40,this.active=0,this.#e=null}static{this.styles=[z,o`
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
    `]}#e;firstUpdated(){let e=this.#t();this.#e=new ResizeObserver(()=>this.#n()),this.#e.observe(e)}disconnectedCallback(){super.disconnectedCallback(),this.#e?.disconnect()}willUpdate(e){e.has(`count`)&&this.active>=this.count&&(this.active=Math.max(0,this.count-1))}#t(){return this.renderRoot.querySelector(`.scroll`)}#n(){let e=this.#t();this.first=Math.max(0,Math.floor(e.scrollTop/24)-oi),this.shown=Math.ceil(e.clientHeight/24)+16}reveal(e){let t=this.#t();if(!t||e<0)return;let n=e*24;n<t.scrollTop?t.scrollTop=n:n+24+26>t.scrollTop+t.clientHeight&&(t.scrollTop=n+24+26-t.clientHeight),this.active=e}#r(e){this.active=e,this.dispatchEvent(new CustomEvent(`activate`,{detail:e}))}#i(e){if(e.ctrlKey||e.altKey||e.metaKey||e.target!==this.#t())return;let t=Math.max(1,Math.floor(this.#t().clientHeight/24)-1),n={ArrowDown:this.active+1,ArrowUp:this.active-1,PageDown:this.active+t,PageUp:this.active-t,Home:0,End:this.count-1}[e.key];if(n!==void 0)this.reveal(Math.max(0,Math.min(this.count-1,n)));else if((e.key===`Enter`||e.key===` `)&&this.canActivate&&this.count)this.#r(this.active);else if(e.key===`ArrowLeft`||e.key===`ArrowRight`)this.#t().scrollLeft+=e.key===`ArrowLeft`?-60:60;else return;e.preventDefault()}updated(){let e=this.columns.map(e=>e.width??(e.isNumber?`minmax(70px, 1fr)`:`minmax(110px, 2fr)`)).join(` `);for(let t of this.renderRoot.querySelectorAll(`.row`))t.style.gridTemplateColumns=e,t.dataset.index&&(t.style.top=`${Number(t.dataset.index)*24}px`);let t=this.renderRoot.querySelector(`.body`);t&&(t.style.height=`${this.count*24}px`)}render(){let e=Math.min(this.count,this.first+this.shown),t=[];for(let n=this.first;n<e;n++)t.push(this.#o(n));return y`<div
      class="scroll"
      role="grid"
      tabindex="0"
      aria-label=${this.label}
      aria-rowcount=${this.count+1}
      aria-colcount=${this.columns.length}
      aria-activedescendant=${this.count?`row-${this.active}`:b}
      @scroll=${()=>this.#n()}
      @keydown=${e=>this.#i(e)}
    >
      <div class="row head" role="row" aria-rowindex="1">${this.columns.map(e=>this.#a(e))}</div>
      <div class="body" role="rowgroup">${t.length?t:b}</div>
      ${this.count?b:y`<div class="empty" role="row"><span role="gridcell">${this.empty}</span></div>`}
    </div>`}#a(e){let t=this.sort?.id===e.id,n=t?this.sort.ascending?`ascending`:`descending`:b,r=y`${e.title}${t?this.sort.ascending?` ▴`:` ▾`:``}`;return y`<div class="cell ${e.isNumber?`number`:``}" role="columnheader" aria-sort=${n} title=${e.help??b}>
      ${e.isSortable?y`<button @click=${()=>this.dispatchEvent(new CustomEvent(`sort`,{detail:e.id}))}>${r}</button>`:y`<b>${r}</b>`}
    </div>`}#o(e){return y`<div
      class="row ${e===this.active?`active`:``}"
      role="row"
      id="row-${e}"
      data-index=${e}
      aria-rowindex=${e+2}
      aria-selected=${this.isSelected(e)?`true`:`false`}
      @click=${()=>this.canActivate&&this.#r(e)}
    >
      ${this.columns.map(t=>y`<div class="cell ${t.isNumber?`number`:``}" role="gridcell">${t.cell(e)}</div>`)}
    </div>`}};Z([C({attribute:!1})],Q.prototype,`columns`,void 0),Z([C({type:Number})],Q.prototype,`count`,void 0),Z([C()],Q.prototype,`label`,void 0),Z([C({attribute:!1})],Q.prototype,`sort`,void 0),Z([C({attribute:!1})],Q.prototype,`isSelected`,void 0),Z([C()],Q.prototype,`empty`,void 0),Z([C({type:Boolean})],Q.prototype,`canActivate`,void 0),Z([w()],Q.prototype,`first`,void 0),Z([w()],Q.prototype,`shown`,void 0),Z([w()],Q.prototype,`active`,void 0),Q=Z([S(`mp-vtable`)],Q);function si(e,t,n){let{head:r}=e,i=[];if(!e.offset.length)return i;let a=Math.max(0,Math.floor((t-r.from_ns)/r.bin_ns)),o=Math.min(r.columns_count,Math.ceil((n-r.from_ns)/r.bin_ns));for(let t=0;t<r.rows;t++){let n=new Map,s={row:r.row_from+t*r.rows_per_block,inside:0,waiting:0,calls:0,largest:null,longest_ns:0,longest:null};for(let i=a;i<o;i++){let c=t*r.columns_count+i;s.calls+=e.calls[c],e.longest_ns[c]>s.longest_ns&&(s.longest_ns=e.longest_ns[c],s.longest={rank:e.longest_rank[c],row:e.longest_row[c]});for(let t=e.offset[c];t<e.offset[c+1];t++){let r=e.share[t]/65535/(o-a);e.function[t]===65535?s.waiting+=r:(s.inside+=r,n.set(e.function[t],(n.get(e.function[t])??0)+r))}}for(let[e,t]of n)(!s.largest||t>s.largest.share)&&(s.largest={id:e,share:t});i.push(s)}return i}var ci=class extends x{static{this.styles=[z]}constructor(){super(),this.round=0,new H(this)}render(){let{app:e,pictures:t}=this,{calls:n}=t;if(n&&t.isSingle)return this.#e();let{from:r,until:i}=e.window,a=t.cells?si(t.cells,r,i):[],o=t.cells?.head.rows_per_block??1;return y`<mp-vtable
      label="Timeline as a table: each row over the time in sight"
      .columns=${[{id:`rank`,title:o>1?`Rows`:`Rank`,isNumber:!0,cell:t=>o>1?`${a[t].row}–${Math.min(e.rows,a[t].row+o)-1}`:String(e.worldRank(e.rankAt(a[t].row)))},{id:`computing`,title:`Computing`,isNumber:!0,cell:e=>A(Math.max(0,1-a[e].inside))},{id:`inside`,title:`In MPI`,isNumber:!0,cell:e=>A(a[e].inside)},{id:`waiting`,title:`Waiting`,isNumber:!0,cell:e=>A(a[e].waiting)},{id:`calls`,title:`Calls`,isNumber:!0,cell:e=>O(a[e].calls)},{id:`most`,title:`Most time in`,cell:t=>a[t].largest?`${e.names?.function(a[t].largest.id)} ${A(a[t].largest.share)}`:`–`},{id:`longest`,title:`Longest call`,isNumber:!0,cell:e=>a[e].longest?E(a[e].longest_ns):`–`}]}
      .count=${a.length}
      @activate=${t=>{let n=a[t.detail]?.longest;n&&n.rank>=0&&e.select(n)}}
    ></mp-vtable>`}#e(){let{app:e}=this,t=this.pictures.calls,{from:n,until:r,row_from:i,row_until:a}=e.window,o=[];for(let s=0;s<t.length;s++){let c=e.positions[t.rank[s]]??-1;c<Math.floor(i)||c>=a||t.start_ns[s]<r&&t.start_ns[s]+t.duration_ns[s]>n&&o.push(s)}let s=(r-n)/1e3,c=[{id:`rank`,title:`Rank`,isNumber:!0,cell:n=>String(e.worldRank(t.rank[o[n]]))},{id:`start`,title:`Start`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>j(t.start_ns[o[e]],Math.min(s,1e3))},{id:`duration`,title:`Duration`,isNumber:!0,cell:e=>E(t.duration_ns[o[e]])},{id:`function`,title:`Function`,cell:n=>e.names?.function(t.function[o[n]])??``},{id:`peer`,title:`Peer`,isNumber:!0,cell:n=>t.peer[o[n]]>=0?String(e.worldRank(t.peer[o[n]])):``},{id:`bytes`,title:`Bytes`,isNumber:!0,cell:e=>D(t.bytes_sent[o[e]]+t.bytes_received[o[e]])},{id:`site`,title:`Called from`,cell:n=>e.names?.site(t.site[o[n]])??``}],{selection:l}=e.store.state;return y`<mp-vtable
      label="Timeline as a table: calls in sight"
      .columns=${c}
      .count=${o.length}
      .isSelected=${e=>t.rank[o[e]]===l?.rank&&t.row[o[e]]===l?.row}
      @activate=${n=>e.select({rank:t.rank[o[n.detail]],row:t.row[o[n.detail]]})}
    ></mp-vtable>`}};Z([C({attribute:!1})],ci.prototype,`app`,void 0),Z([C({attribute:!1})],ci.prototype,`pictures`,void 0),Z([C({type:Number})],ci.prototype,`round`,void 0),ci=Z([S(`mp-timeline-twin`)],ci);var li=4,ui=.0022,di=class extends x{static{this.styles=[z,o`
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
    `]}#e;#t;#n;#r;#i;#a;#o;constructor(){super(),this.isStill=!1,this.drag=null,this.hover=null,this.isPanning=!1,this.#t=null,this.#n=0,this.#r=null,this.#i=null,this.#a=0,this.#o=0,new H(this,()=>this.#c())}connectedCallback(){super.connectedCallback(),this.#e=new Mr(this.app,()=>{this.#o++,this.#c(),this.requestUpdate()})}disconnectedCallback(){super.disconnectedCallback(),this.#i?.disconnect(),this.#e.close(),cancelAnimationFrame(this.#n),this.#n=0}get lastFrameMs(){return this.#a}get isSettled(){return!this.#e.isBusy&&(this.#e.near!==null||this.#e.error!==null)}#s(){return this.renderRoot.querySelector(`.plot`)}updated(){this.#i||(this.#i=new ResizeObserver(()=>this.#c()),this.#i.observe(this)),this.#x(),this.#c()}#c(){this.#n||!this.isConnected||(this.#n=requestAnimationFrame(()=>{this.#n=0,this.#u()}))}get#l(){let{app:e}=this;return!this.#t||!e.run?null:{app:e,window:e.window,whole:e.whole,layout:this.#t,pictures:this.#e,ink:q[e.theme],drag:this.drag,hover:this.hover}}#u(){let e=this.renderRoot.querySelector(`canvas`),{app:t}=this;if(!t.run||t.rows===0)return;let n=performance.now(),r=this.clientWidth,i=this.clientHeight;if(!r||!i||(this.#t=Gn(r,i,!!t.run.iterations,!!t.order?.groups.length),this.#e.update(t.window,this.#t),!e))return;let a=devicePixelRatio||1;(e.width!==Math.round(r*a)||e.height!==Math.round(i*a))&&(e.width=Math.round(r*a),e.height=Math.round(i*a));let o=e.getContext(`2d`,{alpha:!1});o.setTransform(a,0,0,a,0,0),Xr(o,this.#l),this.#a=performance.now()-n}#d(e){let t=this.getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#f(e){let t=this.#t;if(!t||e.button>1)return;let{x:n,y:r}=this.#d(e),i=Jn(t,n,r);i!==`none`&&(this.#s()?.setPointerCapture(e.pointerId),this.#s()?.focus({preventScroll:!0}),i===`map`?(this.#r={kind:`map`},this.#g(n)):i===`scroll`?this.#r={kind:`scroll`,y:r}:e.button===1||e.shiftKey||i===`axis`||i===`ruler`?(this.#r={kind:`pan`,x:n,y:r},this.isPanning=!0,e.preventDefault()):i===`gutter`?this.#_(r):this.#r={kind:`area`,x:n,y:r})}#p(e){let t=this.#t;if(!t)return;let{x:n,y:r}=this.#d(e),i=this.#r;if(!i){let e=Jn(t,n,r);this.hover=e===`plot`?{x:n,y:r}:null;return}this.hover=null;let{app:a}=this;if(i.kind===`map`)this.#g(n);else if(i.kind===`pan`)a.setWindow(N(a.window,a.whole,(i.x-n)/t.plotWidth,(i.y-r)/t.plotHeight),!0),i.x=n,i.y=r;else if(i.kind===`scroll`){let e=a.whole.row_until;a.setWindow(N(a.window,a.whole,0,(r-i.y)/t.plotHeight*e/(a.window.row_until-a.window.row_from)),!0),i.y=r}else(Math.abs(n-i.x)>=li||this.drag)&&(this.drag=this.#m(i,{x:n,y:r}))}#m(e,t){let n=this.#t,r=this.app.window,[i,a]=e.x<t.x?[e.x,t.x]:[t.x,e.x],[o,s]=e.y<t.y?[e.y,t.y]:[t.y,e.y],c=e=>Math.max(n.left,Math.min(n.left+n.plotWidth,e)),l=s-o<6,u=Math.max(0,Math.floor(qn(n,r,Math.max(o,n.top)))),d=Math.min(this.app.rows,Math.ceil(qn(n,r,Math.min(s,n.top+n.plotHeight))));return{from:Math.round(Kn(n,r,c(i))),until:Math.max(Math.round(Kn(n,r,c(a))),Math.round(Kn(n,r,c(i)))+1),row_from:l?null:u,row_until:l?null:Math.max(d,u+1)}}#h(e){let t=this.#r;if(this.#r=null,this.isPanning=!1,!t)return;if(t.kind!==`area`){this.app.store.flush();return}let n=this.drag;this.drag=null;let r=this.isStill?{page:`views`}:{};n?this.app.store.set({...r,area:n}):this.#v(this.#d(e),r)}#g(e){let t=this.#t,{window:n,whole:r}=this.app,i=r.from+(e-t.left)/t.plotWidth*(r.until-r.from),a=(n.until-n.from)/2;this.app.setWindow(M({...n,from:i-a,until:i+a},r),!0)}#_(e){let t=Math.floor(qn(this.#t,this.app.window,e));if(t<0||t>=this.app.rows)return;let{from:n,until:r}=this.app.window;this.app.store.set({area:{from:Math.round(n),until:Math.round(r),row_from:t,row_until:t+1}})}#v({x:e,y:t},n){let r=this.#y(e,t),{store:i}=this.app;r?i.set({...n,selection:{rank:r.rank,row:r.row}}):i.state.area?i.set({area:null}):i.state.selection&&i.set({selection:null})}#y(e,t){let n=this.#t,{app:r}=this;if(!n)return null;let i=r.window,a=Math.floor(qn(n,i,t)),o=Kn(n,i,e),{calls:s,cells:c}=this.#e,l=new Set(r.store.state.hidden);if(s&&(this.#e.isSingle||this.#e.isFaded)){let e=cr(s,r.rankAt(a),o,(i.until-i.from)/n.plotWidth*4,e=>l.has(e));return e>=0?{rank:s.rank[e],row:s.row[e],index:e}:null}let u=c?lr(c,a,o):null;return u&&u.longest_rank>=0&&u.shares.length?{rank:u.longest_rank,row:u.longest_row,index:-1}:null}#b(e){let t=this.#t;if(!t)return;let n=e.ctrlKey||e.metaKey;if(this.isStill&&!n)return;e.preventDefault();let{app:r}=this,{x:i,y:a}=this.#d(e),o=e.deltaMode===1?16:e.deltaMode===2?400:1,s=e.deltaX*o,c=e.deltaY*o,l=Math.max(0,Math.min(1,(i-t.left)/t.plotWidth));if(n)r.setWindow(gt(r.window,r.whole,Math.exp(c*ui),l),!0);else if(e.altKey)r.setWindow(_t(r.window,r.whole,Math.exp(c*ui),Math.max(0,Math.min(1,(a-t.top)/t.plotHeight))),!0);else{let n=e.shiftKey&&!s?c:s,i=e.shiftKey&&!s?0:c;r.setWindow(N(r.window,r.whole,n/t.plotWidth,i/t.plotHeight),!0)}}#x(){let e=this.renderRoot.querySelector(`.tip`);if(!e||!this.hover)return;let{x:t,y:n}=this.hover,{offsetWidth:r,offsetHeight:i}=e,a=t+16+r>this.clientWidth?Math.max(0,t-r-12):t+16,o=n+16+i>this.clientHeight?Math.max(0,n-i-10):n+16;e.style.transform=`translate(${Math.round(a)}px, ${Math.round(o)}px)`}render(){let{app:e}=this,t=this.#e;if(e.store.state.twins.includes(`timeline`)&&!this.isStill)return y`<mp-timeline-twin .app=${e} .pictures=${t} .round=${this.#o}></mp-timeline-twin>`;let n=this.#l,r=n?sr(n):`Timeline`;return y`<div
        class="plot ${this.isPanning?`panning`:``}"
        role="group"
        tabindex="0"
        aria-label="Timeline"
        aria-describedby="summary"
        @pointerdown=${e=>this.#f(e)}
        @pointermove=${e=>this.#p(e)}
        @pointerup=${e=>this.#h(e)}
        @pointercancel=${()=>(this.#r=null,this.drag=null)}
        @pointerleave=${()=>this.hover=null}
        @dblclick=${e=>this.#S(e)}
        @wheel=${{handleEvent:e=>this.#b(e),passive:!1}}
      >
        <canvas role="img" aria-label=${r}></canvas>
      </div>
      <span id="summary" class="hidden-text">${r}</span>
      ${this.#C()} ${t.isBusy?y`<div class="busy"></div>`:b}
      ${this.hover&&n&&!this.drag?y`<div class="tip">${ii(n,this.hover,(e,t)=>this.#y(e,t)?.index??-1)}</div>`:b}
      ${t.error&&e.run?.state===`ready`?R(t.error):b}`}#S(e){let{x:t,y:n}=this.#d(e),r=this.#t;if(!r||Jn(r,t,n)!==`plot`)return;let{app:i}=this;i.setWindow(gt(i.window,i.whole,.25,(t-r.left)/r.plotWidth),!1)}#C(){let{app:e}=this,t=this.#e,n=[],r=t.matching;return r!==null&&n.push(`${O(r)} matching calls`),t.isBusy&&t.done!==null&&n.push(`reading calls for the filter: ${Math.round(100*t.done)} %`),t.isSingle&&t.messages?.head.is_cut&&e.store.state.layers.includes(`messages`)&&n.push(`${k(t.messages.head.total)} messages: zoom in for arrows`),y`<div class="status">${n.map(e=>y`<span>${e}</span>`)}</div>`}};Z([C({attribute:!1})],di.prototype,`app`,void 0),Z([C({type:Boolean})],di.prototype,`isStill`,void 0),Z([w()],di.prototype,`drag`,void 0),Z([w()],di.prototype,`hover`,void 0),Z([w()],di.prototype,`isPanning`,void 0),di=Z([S(`mp-timeline`)],di);function fi(e,t,n){let r=e.rankOfWorld(n.rank),i=e.positions[r]??-1,a=yt(e.whole,e.whole,n.start_ns,n.end_ns,i<0?null:i);e.store.set({page:`views`,finding:t,area:null,selection:n.row===null?null:{rank:r,row:n.row},...xt({...a,row_from:0,row_until:e.rows},e.whole),layers:[...new Set([...e.store.state.layers,`waits`,`messages`,`collectives`])]})}function pi(e,t,n){let r=[n.evidence.function,...Array.isArray(n.evidence.functions)?n.evidence.functions:[]].map(t=>typeof t==`string`?e.names?.functionId(t)??null:null).filter(e=>e!==null),i={page:`views`,finding:t,filter:{...Rt,functions:r.length?r:null},area:null,selection:null,from:null,until:null,left:`table`,right:`scatter`,table:{by:n.sites.length>1?`site`:`rank`,sort:`total_ns`,ascending:!1},scatter:{...e.store.state.scatter,x:`end`,y:`duration`,x_min:null,x_max:null,y_min:null,y_max:null}};e.store.set(i)}var mi=8,hi=class extends x{static{this.styles=[z,o`
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
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        padding: 10px 12px 12px;
        border-bottom: 1px solid var(--line);
        display: grid;
        grid-template-columns: 74px minmax(0, 1fr);
        gap: 2px 12px;
      }
      li:last-child {
        border-bottom: 0;
      }
      .cost b {
        font-size: 16px;
        display: block;
        line-height: 1.2;
      }
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
      .more {
        padding: 8px 12px;
      }
    `]}constructor(){super(),this.isAll=!1,new H(this)}render(){let e=this.app.report?.explanation?.findings;if(!e)return b;let t=this.isAll?e:e.slice(0,mi);return y`<section aria-label="Findings">
      <h2>Findings <span class="muted">cost in rank time; costs overlap</span></h2>
      ${e.length?y`<ol>${t.map((e,t)=>this.#e(e,t))}</ol>`:y`<p class="note">Nothing costs more than a hundredth of the rank time.</p>`}
      ${e.length>t.length?y`<div class="more"><button class="line" @click=${()=>this.isAll=!0}>${e.length-t.length} more</button></div>`:b}
    </section>`}#e(e,t){let{app:n}=this,r=n.run?.state===`ready`,i=e.cause_ranks.length?`caused by ${e.cause_ranks.length===1?`rank`:`ranks`} ${rt(e.cause_ranks)}`:``;return y`<li>
      <div class="cost number"><b>${A(e.share)}</b><span class="muted">${E(e.cost_ns)}</span></div>
      <div>
        <h3>${e.title}</h3>
        <p>${e.text}</p>
        ${e.advice?y`<p class="advice"><span class="hidden-text">What to try: </span>${e.advice}</p>`:b}
        <div class="buttons">
          ${e.proof.length?y`<button class="line" ?disabled=${!r} @click=${()=>fi(n,t,e.proof[0])}>
                Show in the timeline
              </button>`:b}
          <button class="line" ?disabled=${!r} @click=${()=>pi(n,t,e)}>Show its calls</button>
          <span class="muted">${[i,e.confidence===`high`?``:`${e.confidence} confidence`].filter(Boolean).join(`; `)}</span>
        </div>
      </div>
    </li>`}};Z([C({attribute:!1})],hi.prototype,`app`,void 0),Z([w()],hi.prototype,`isAll`,void 0),hi=Z([S(`mp-findings`)],hi);var gi=class extends x{static{this.styles=[z,o`
      section {
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 8px;
      }
      h2 {
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
      .body {
        padding: 10px 12px;
        display: grid;
        gap: 12px;
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
    `]}constructor(){super(),new H(this)}render(){let{app:e}=this,t=e.report?.explanation;return t?y`<section aria-label="Verdict">
      <h2>Verdict <span class="muted">shares of ${E(t.scope.rank_time_ns)} of rank time</span></h2>
      <div class="body">${this.#e(t)} ${this.#t(t)} ${this.#n(t)}</div>
    </section>`:e.reportError||e.run?.is_explained?b:y`<section aria-label="Verdict"><h2>Verdict</h2><div class="body muted" role="status">The run is being analysed …</div></section>`}#e({time:e}){let{theme:t}=this.app,n=Math.max(1,e.computing_ns+e.waiting_ns+e.communicating_ns),r=[{name:`computing`,ns:e.computing_ns,colour:t===`light`?`#b9c2cf`:B(bn.dark+2105376)},{name:`waiting for other ranks`,ns:e.waiting_ns,colour:B(V(`completion`,t)),isHatched:!0},{name:`in MPI otherwise`,ns:e.communicating_ns,colour:B(V(`send`,t))}],i=0,a=De`<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="#000" fill-opacity=".45"></rect></pattern>`;return y`<div>
      <svg class="bar" viewBox="0 0 1000 22" preserveAspectRatio="none" role="img" aria-label=${r.map(e=>`${e.name} ${A(e.ns/n)}`).join(`, `)}>
        <defs>${a}</defs>
        ${r.map(e=>{let t=i,r=e.ns/n*1e3;return i+=r,De`<rect x=${t} y="0" width=${r} height="22" fill=${e.colour}></rect>${e.isHatched?De`<rect x=${t} y="0" width=${r} height="22" fill="url(#hatch)"></rect>`:b}`})}
      </svg>
      <div class="key">
        ${r.map(e=>y`<span
            ><svg width="11" height="11" aria-hidden="true"><rect width="11" height="11" rx="2" fill=${e.colour}></rect></svg>${e.name}
            <b class="number">${A(e.ns/n)}</b> <span class="muted number">${E(e.ns)}</span></span
          >`)}
      </div>
    </div>`}#t({efficiency:e}){if(!e)return b;let{theme:t}=this.app,n=(e,n,r,i)=>r===null?b:y`<span class=${e?`in${e}`:``}>${n}</span>
            <svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true">
              <rect width="100" height="9" fill=${B(bn[t])}></rect>
              <rect width=${Math.max(0,Math.min(100,r*100))} height="9" fill=${B(V(r<.5?`barrier`:r<.8?`completion`:`receive`,t))}></rect>
            </svg>
            <b class="number">${A(r)}</b><span class="muted">${i}</span>`;return y`<div class="tree">
      ${n(0,`Parallel efficiency`,e.parallel,`load balance × communication`)}
      ${n(1,`Load balance`,e.load_balance,`mean of computing ÷ largest`)}
      ${n(1,`Communication`,e.communication,`serialisation × transfer`)}
      ${n(2,`Serialisation`,e.serialisation,`ranks that wait for each other`)}
      ${n(2,`Transfer`,e.transfer,`time in MPI that is no waiting`)}
    </div>`}#n(e){let t=[];return e.iterations&&t.push(`${O(e.iterations.count)} iterations of ${E(e.iterations.period_ns)}`),e.phases.length&&t.push(`${e.phases.length} phases`),e.grid&&t.push(`${e.grid.dims.join(` × `)} grid`),e.pattern&&t.push(`pattern ${e.pattern.replace(/_/g,` `)}`),e.critical_path&&t.push(`critical path ${E(e.critical_path.length_ns)} with ${O(e.critical_path.jumps)} jumps between ranks`),t.length?y`<div><span class="muted">Structure:</span> ${t.join(`, `)}</div>`:b}};Z([C({attribute:!1})],gi.prototype,`app`,void 0),gi=Z([S(`mp-verdict`)],gi);var _i=class extends x{static{this.styles=[z,o`
      :host {
        overflow: auto;
        height: 100%;
      }
      .page {
        max-width: 1360px;
        margin: 0 auto;
        padding: 14px 18px 40px;
        display: grid;
        grid-template-columns: minmax(0, 1.7fr) minmax(300px, 1fr);
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
    `]}constructor(){super(),new H(this)}render(){let{app:e}=this,t=e.run;if(!t)return y``;let n=e.report;return y`<div class="page">
      <section class="card wide" aria-label="The run at a glance">
        <h2>
          The run at a glance
          <button class="line" @click=${()=>e.store.set({page:`views`})}>Open the timeline</button>
        </h2>
        ${t.calls===0||e.rows===0?y`<p class="note">No MPI call was recorded in this run. <code>mpiscope doctor PROGRAM</code> says what would be recorded.</p>`:y`<div class="strip"><mp-timeline .app=${e} .isStill=${!0}></mp-timeline></div>`}
      </section>
      <div class="stack">
        ${e.reportError?y`<section class="card">${R(e.reportError)}</section>`:b}
        <mp-verdict .app=${e}></mp-verdict>
        <mp-findings .app=${e}></mp-findings>
      </div>
      <div class="stack">${this.#e(n)} ${this.#t()} ${this.#n(n)} ${this.#r(n)}</div>
    </div>`}#e(e){let t=this.app.run,n=e?.overview,r=(e,t)=>e?y`${t(e.mean)} <span class="muted">(${t(e.min.value)} rank ${e.min.rank} to ${t(e.max.value)} rank ${e.max.rank})</span>`:y`–`;return y`<section class="card" aria-label="The program">
      <h2>The program</h2>
      <dl>
        <dt>command</dt><dd class="mono">${t.command.join(` `)||`unknown`}</dd>
        <dt>MPI</dt><dd>${(t.mpi??`unknown`).split(`, package`)[0]}</dd>
        <dt>ranks</dt><dd class="number">${O(t.ranks.count)} on ${t.hosts.length===1?t.hosts[0]:`${O(t.hosts.length)} hosts`}</dd>
        ${n?.start_unix_ns?y`<dt>started</dt><dd class="number">${new Date(n.start_unix_ns/1e6).toISOString().replace(`T`,` `).slice(0,19)} UTC</dd>`:b}
        ${n?.wall_ns?y`<dt>wall time</dt><dd class="number">${r(n.wall_ns,E)}</dd>`:b}
        ${n?.mpi_share?y`<dt>in MPI</dt><dd class="number">${r(n.mpi_share,A)}</dd>`:b}
        ${n?.max_rss_bytes?y`<dt>memory</dt><dd class="number">${r(n.max_rss_bytes,D)}</dd>`:b}
        <dt>calls</dt><dd class="number">${O(t.calls)}${n?.calls_failed?y`, <span class="bad">${O(n.calls_failed)} failed</span>`:b}</dd>
      </dl>
    </section>`}#t(){let{app:e}=this,t=e.run,n=t.functions.reduce((e,t)=>e+t.time_ns,0),r=[...t.functions].sort((e,t)=>t.time_ns-e.time_ns).slice(0,10);return r.length?y`<section class="card" aria-label="Where the time in MPI goes">
      <h2>Where the time in MPI goes <span class="muted">${E(n)} in all ranks</span></h2>
      <table>
        <thead>
          <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
        </thead>
        <tbody>
          ${r.map(t=>y`<tr>
              <td>${jn(e,t.id)} ${t.name}</td>
              <td class="number">${O(t.calls)}</td>
              <td class="number">${E(t.time_ns)}</td>
              <td class="number">${A(t.time_ns/Math.max(1,n))}</td>
            </tr>`)}
        </tbody>
      </table>
      ${t.functions.length>r.length?y`<p class="note">and ${t.functions.length-r.length} more functions</p>`:b}
    </section>`:y``}#n(e){if(!e||e.overview.all_normal)return b;let t=e.ranks.filter(e=>e.fate.kind!==`finalized`||e.in_flight.length).slice(0,32);return t.length?y`<section class="card" aria-label="How ranks ended">
      <h2>How ranks ended</h2>
      <table>
        <thead><tr><th scope="col">Rank</th><th scope="col">End</th><th scope="col">Last in</th></tr></thead>
        <tbody>
          ${t.map(e=>y`<tr>
              <td class="number">${e.rank}</td>
              <td>${e.fate.signal_name??e.fate.kind.replace(/_/g,` `)}</td>
              <td>${e.in_flight.map(e=>y`<div>${e.call} <span class="muted">${e.site}</span></div>`)}</td>
            </tr>`)}
        </tbody>
      </table>
    </section>`:b}#r(e){let t=this.app.run,n=t.ranks.calls_lost.reduce((e,t)=>e+t,0),r=t.ranks.calls_lost.filter(e=>e>0).length,i=[...new Set([...e?.diagnostics.map(e=>e.file?`${e.file}: ${e.text}`:e.text)??[],...e?.explanation?.caveats??[],...t.caveats])];return n>0&&i.unshift(`${O(n)} calls of ${O(r)} ${r===1?`rank`:`ranks`} are overwritten: counts and times of functions include them, the timeline begins after them. Record with a larger --buffer to keep them.`),t.is_writing&&i.unshift(`The program was still running when this run was opened.`),i.length?y`<section class="card" aria-label="What to keep in mind">
      <h2>What to keep in mind</h2>
      <ul>${i.map(e=>y`<li>${e}</li>`)}</ul>
    </section>`:b}};Z([C({attribute:!1})],_i.prototype,`app`,void 0),_i=Z([S(`mp-overview`)],_i);var vi=e=>e.map(e=>e===null?``:String(e)).join(`~`);function yi(e,t){let n=e.split(`~`);if(n.length!==t)return null;let r=n.map(e=>e===``?null:Number(e));return r.every(e=>e===null||Number.isFinite(e))?r:null}var bi=e=>typeof e==`number`&&Number.isInteger(e)&&e>=0;function xi(e){return e.split(`,`).map(Number).filter(bi)}function Si(e){return Object.entries(e).filter(([,e])=>e!==null).map(([e,t])=>`${e}:${Array.isArray(t)?t.join(`,`):String(t)}`).join(`;`)}function Ci(e){let t={...Rt};for(let n of e.split(`;`)){let e=n.indexOf(`:`),r=n.slice(0,e),i=n.slice(e+1);e<0||!(r in Rt)||(r===`ranks`?t.ranks=/^[\d,-]+$/.test(i)?i:null:r===`functions`?t.functions=xi(i):i!==``&&Number.isFinite(Number(i))&&(t[r]=Number(i)))}return t}function wi(e){let t=[],n=(e,n,r=``)=>{n!==r&&t.push([e,n])};n(`page`,e.page,F.page),n(`t`,vi([e.from,e.until]),`~`),n(`rows`,vi([e.row_from,e.row_until]),`~`),n(`order`,e.order),n(`filter`,Si(e.filter)),e.selection&&n(`call`,vi([e.selection.rank,e.selection.row])),e.area&&n(`area`,vi([e.area.from,e.area.until,e.area.row_from,e.area.row_until])),n(`hidden`,e.hidden.join(`,`)),n(`skipped`,e.skipped.join(`,`)),n(`colour`,e.colouring,F.colouring),n(`layers`,e.layers.join(`,`),F.layers.join(`,`)),n(`left`,e.left,F.left),n(`right`,e.right,F.right),n(`scope`,e.scope,F.scope);let r=e=>`${e.by}~${e.sort}~${+!!e.ascending}`;n(`table`,r(e.table),r(F.table));let i=e=>`${e.x}~${e.y}~${+!!e.x_log}~${+!!e.y_log}~${vi([e.x_min,e.x_max,e.y_min,e.y_max])}${e.of===`messages`?`~messages`:``}`;n(`scatter`,i(e.scatter),i(F.scatter));let a=e=>`${e.field}~${+!!e.is_log}${e.of===`messages`?`~messages`:``}`;n(`histogram`,a(e.histogram),a(F.histogram));let o=e=>`${e.by}~${e.value}~${e.comm??``}`;return n(`matrix`,o(e.matrix),o(F.matrix)),n(`twins`,e.twins.join(`,`)),n(`finding`,e.finding===null?``:String(e.finding)),t.map(([e,t])=>`${e}=${encodeURIComponent(t).replace(/%(3A|3B|2C|7E)/g,decodeURIComponent)}`).join(`&`)}function Ti(e){let t={...F},n=new Map;for(let t of e.replace(/^#/,``).split(`&`)){let e=t.indexOf(`=`);if(!(e<0))try{n.set(t.slice(0,e),decodeURIComponent(t.slice(e+1)))}catch{}}let r=e=>n.get(e)??``;r(`page`)===`views`&&(t.page=`views`);let i=yi(r(`t`),2);i&&i[0]!==null&&i[1]!==null&&i[0]<i[1]&&(t.from=i[0],t.until=i[1]);let a=yi(r(`rows`),2);a&&a[0]!==null&&a[1]!==null&&a[0]<a[1]&&(t.row_from=a[0],t.row_until=a[1]),t.order=r(`order`),n.has(`filter`)&&(t.filter=Ci(r(`filter`)));let o=yi(r(`call`),2);o&&bi(o[0])&&bi(o[1])&&(t.selection={rank:o[0],row:o[1]});let s=yi(r(`area`),4);s&&typeof s[0]==`number`&&typeof s[1]==`number`&&s[0]<s[1]&&(t.area={from:s[0],until:s[1],row_from:s[2]??null,row_until:s[3]??null}),r(`hidden`)&&(t.hidden=xi(r(`hidden`))),r(`skipped`)&&(t.skipped=xi(r(`skipped`))),r(`colour`)===`class`&&(t.colouring=`class`),n.has(`layers`)&&(t.layers=r(`layers`).split(`,`).filter(e=>Lt.includes(e)));let c=e=>It.includes(e),l=r(`left`),u=r(`right`);c(l)&&(t.left=l),c(u)&&(t.right=u),r(`scope`)===`run`&&(t.scope=`run`);let d=r(`table`).split(`~`);d.length===3&&/^[a-z_]+(,[a-z_]+)?$/.test(d[0])&&/^[a-z0-9_]+$/.test(d[1])&&(t.table={by:d[0],sort:d[1],ascending:d[2]===`1`});let f=r(`scatter`).split(`~`),p=e=>e===void 0||e===`messages`;if(f.length>=8&&f.length<=9&&p(f[8])){let e=yi(f.slice(4,8).join(`~`),4);e&&(t.scatter={x:f[0],y:f[1],x_log:f[2]===`1`,y_log:f[3]===`1`,of:f[8]??`calls`,x_min:e[0],x_max:e[1],y_min:e[2],y_max:e[3]})}let m=r(`histogram`).split(`~`);m.length>=2&&m.length<=3&&p(m[2])&&(t.histogram={field:m[0],is_log:m[1]===`1`,of:m[2]??`calls`});let h=r(`matrix`).split(`~`);return h.length===3&&[`count`,`bytes`,`mean`,`latency`,`longest`].includes(h[1])&&(t.matrix={by:h[0]===`host`?`host`:`rank`,value:h[1],comm:h[2]?Number(h[2]):null}),r(`twins`)&&(t.twins=r(`twins`).split(`,`)),n.has(`finding`)&&bi(Number(r(`finding`)))&&(t.finding=Number(r(`finding`))),t}var Ei={hash:()=>window.location.hash,push:e=>window.history.pushState(null,``,`#${e}`),replace:e=>window.history.replaceState(null,``,`#${e}`)},Di=class{#e;#t;#n=new Set;#r=null;constructor(e){this.#t=e,this.#e=Ti(e.hash())}get state(){return this.#e}listen(e){return this.#n.add(e),()=>this.#n.delete(e)}set(e){this.flush(),this.#a({...this.#e,...e}),this.#i()}move(e){this.#r!==null&&clearTimeout(this.#r),this.#a({...this.#e,...e}),this.#r=setTimeout(()=>this.flush(),350)}correct(e){this.#a({...this.#e,...e}),this.#t.replace(wi(this.#e))}flush(){this.#r!==null&&(clearTimeout(this.#r),this.#r=null,this.#i())}restore(){this.#r!==null&&clearTimeout(this.#r),this.#r=null,this.#a(Ti(this.#t.hash()))}#i(){let e=wi(this.#e);e!==this.#t.hash().replace(/^#/,``)&&this.#t.push(e)}#a(e){let t=this.#e;this.#e=e;for(let n of[...this.#n])n(e,t)}},Oi=class extends x{constructor(...e){super(...e),this.text=``}static{this.styles=[z,o`
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
    `]}firstUpdated(){this.renderRoot.querySelector(`input`)?.focus()}#e(e){let{app:t}=this,n=this.text.trim();if(!n||t.run?.state!==`ready`)return;let{detail:r}=t,i=t.store.state,a={...i.filter,functions:dt(i,t.run.functions)},o=e===`next`,s=i.selection&&r?r.start_ns:o?t.window.from:t.window.until;t.goTo(c=>t.client.find(n,e,o?{...a,from:s+(i.selection&&r?1:0)}:{...a,until:s},c),`No ${e} call has “${n}” in its function, call site, region or communicator.`)}render(){return y`<form
      role="search"
      @submit=${e=>{e.preventDefault(),this.#e(`next`)}}
      @keydown=${e=>{e.key===`Escape`?(e.preventDefault(),this.app.open(null)):e.key===`Enter`&&e.shiftKey&&(e.preventDefault(),this.#e(`previous`))}}
    >
      <input type="search" aria-label="Search calls" placeholder="function, call site, region …" .value=${this.text} @input=${e=>this.text=e.target.value} />
      <button class="line" type="button" @click=${()=>this.#e(`previous`)}>Previous</button>
      <button class="line" type="submit">Next</button>
      <button type="button" aria-label="Close the search" @click=${()=>this.app.open(null)}>✕</button>
    </form>`}};Z([C({attribute:!1})],Oi.prototype,`app`,void 0),Z([w()],Oi.prototype,`text`,void 0),Oi=Z([S(`mp-find`)],Oi);var ki=class extends x{static{this.styles=[z,o`
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
    `]}firstUpdated(){let e=this.renderRoot.querySelector(`dialog`);e.addEventListener(`close`,()=>this.app.dialog&&this.app.open(null)),e.addEventListener(`click`,t=>t.target===e&&e.close()),e.showModal()}close(){this.renderRoot.querySelector(`dialog`)?.close()}};Z([C({attribute:!1})],ki.prototype,`app`,void 0);var Ai=[[`Click`,`select the call; from afar, the longest call in that place`],[`Drag`,`select an area; a flat one is of all ranks in sight`],[`Drag with Shift, or the middle button, or on the axis`,`move`],[`Wheel`,`scroll ranks; with Shift: time`],[`Ctrl and wheel`,`zoom in time, where the pointer is`],[`Alt and wheel`,`taller or flatter ranks`],[`Double click`,`zoom in four times`],[`Click a rank's number`,`that rank over the time in sight as an area`]],ji=class extends ki{static{this.styles=[...ki.styles,o`
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
    `]}render(){let e=[...new Set(mn.map(e=>e.group))];return y`<dialog aria-label="Keys and mouse">
      <div class="head">
        <h2>Keys and mouse</h2>
        <button class="line" autofocus @click=${()=>this.close()}>Close</button>
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="List of keys">
        <section>
          <h3>Mouse, on the timeline</h3>
          <dl class="mouse">${Ai.map(([e,t])=>y`<dt>${e}</dt><dd>${t}</dd>`)}</dl>
        </section>
        ${e.map(e=>y`<section>
            <h3>${e}</h3>
            <dl>
              ${mn.filter(t=>t.group===e&&t.keys.length).map(e=>y`<dt>${e.keys.map((e,t)=>y`${t?` `:``}<kbd>${Ot(e)}</kbd>`)}</dt><dd>${e.title}</dd>`)}
            </dl>
          </section>`)}
        <p class="muted">
          Letters are places on the keyboard (W A S D as on an English one). Commands without a key are in the palette, Ctrl+Shift+P, which also turns single
          keys off.
        </p>
      </div>
    </dialog>`}};ji=Z([S(`mp-help`)],ji);function Mi(e,t){let n=t.toLowerCase().split(/\s+/).filter(Boolean),r=e.filter(e=>n.every(t=>`${e.title} ${e.group}`.toLowerCase().includes(t))),i=e=>+!e.title.toLowerCase().startsWith(t.toLowerCase().trim());return r.map((e,t)=>({c:e,i:t})).sort((e,t)=>i(e.c)-i(t.c)||e.i-t.i).map(({c:e})=>e)}var Ni=class extends ki{constructor(...e){super(...e),this.text=``,this.active=0}static{this.styles=[...ki.styles,o`
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
    `]}#e(){return Mi(mn.filter(e=>e.id!==`palette`&&(e.when?.(this.app)??!0)),this.text)}#t(e){e&&(this.close(),this.app.open(null),e.run(this.app))}#n(e){let t=this.#e();if(e.key===`ArrowDown`)this.active=Math.min(t.length-1,this.active+1);else if(e.key===`ArrowUp`)this.active=Math.max(0,this.active-1);else if(e.key===`Enter`)this.#t(t[this.active]);else return;e.preventDefault()}updated(){this.renderRoot.querySelector(`[aria-selected="true"]`)?.scrollIntoView({block:`nearest`})}render(){let e=this.#e();return y`<dialog aria-label="Command palette">
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
        ${e.map((e,t)=>y`<div class="option" role="option" id="option-${t}" aria-selected=${t===this.active} @click=${()=>this.#t(e)}>
            <span>${e.title}</span><span aria-hidden="true">${e.keys.map(e=>y`<kbd>${Ot(e)}</kbd>`)}</span>
          </div>`)}
      </div>
      ${e.length?``:y`<p class="note" role="status">No such command.</p>`}
    </dialog>`}};Z([w()],Ni.prototype,`text`,void 0),Z([w()],Ni.prototype,`active`,void 0),Ni=Z([S(`mp-palette`)],Ni);var Pi=120,Fi=400,Ii=class{#e;#t;#n;#r;constructor(e){this.value=null,this.done=null,this.error=null,this.isBusy=!1,this.#t=new Xe,this.#n=``,this.#r=null,this.#e=e,e.addController({hostConnected:()=>{},hostDisconnected:()=>{this.#r!==null&&clearTimeout(this.#r),this.#t.cancel(),this.#n=``}})}update(e,t,n=null){let r=JSON.stringify(e);if(r===this.#n)return;let i=this.#n===``;this.#n=r,this.#r!==null&&clearTimeout(this.#r),this.isBusy=!0,this.#r=setTimeout(()=>{this.#r=null,this.#i(t,n)},i?0:Pi)}async#i(e,t){this.done=null;try{let n=await this.#t.run(async n=>{let r=await e(n);return n.aborted||!t?.isSample(r)?r:(this.value=r,this.error=null,this.done=0,this.#e.requestUpdate(),this.#a(t,n))});if(n===void 0)return;this.value=n,this.error=null}catch(e){if(Ye(e))return;this.error=T(e),this.value=null}this.isBusy=this.#t.isBusy,this.done=null,this.#e.requestUpdate()}async#a(e,t){let n=!1;(async()=>{for(;!n&&!t.aborted;){await new Promise(e=>setTimeout(e,Fi));let r=n?null:await e.done(t).catch(()=>null);n||t.aborted||r===null||(this.done=r,this.#e.requestUpdate())}})();try{return await e.exact(t)}finally{n=!0}}},Li=5e3,Ri=class extends x{static{this.styles=[z,_n,o`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      mp-vtable {
        flex: 1;
      }
    `]}#e=new Ii(this);#t=``;constructor(){super(),new H(this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t={...e.scope,limit:Li};this.#e.update([t,e.growth],n=>e.client.calls(t,n))}#n(e){let{selection:t}=this.app.store.state,n=this.#e.value;return!!n&&!!t&&n.rank[e]===t.rank&&n.row[e]===t.row}updated(){let{selection:e}=this.app.store.state,t=this.#e.value,n=`${e?.rank}:${e?.row}:${t?.length}`;if(e&&t&&n!==this.#t){this.#t=n;for(let e=0;e<t.length;e++)if(this.#n(e)){let t=this.renderRoot.querySelector(`mp-vtable`);t?.updateComplete.then(()=>t.reveal(e));return}}}render(){let{app:e}=this,t=this.#e.value,n=t?[{id:`rank`,title:`Rank`,isNumber:!0,width:`60px`,cell:n=>String(e.worldRank(t.rank[n]))},{id:`start`,title:`Start`,isNumber:!0,width:`minmax(140px, 1.4fr)`,cell:e=>j(t.start_ns[e],1)},{id:`duration`,title:`Duration`,isNumber:!0,cell:e=>E(t.duration_ns[e])},{id:`function`,title:`Function`,width:`minmax(130px, 2fr)`,cell:n=>e.names?.function(t.function[n])??``},{id:`peer`,title:`Peer`,isNumber:!0,width:`60px`,cell:n=>t.peer[n]>=0?String(e.worldRank(t.peer[n])):``},{id:`tag`,title:`Tag`,isNumber:!0,width:`70px`,cell:e=>t.peer[e]>=0?String(t.tag[e]):``},{id:`sent`,title:`Sent`,isNumber:!0,cell:e=>t.bytes_sent[e]?D(t.bytes_sent[e]):``},{id:`received`,title:`Received`,isNumber:!0,cell:e=>t.bytes_received[e]?D(t.bytes_received[e]):``},{id:`comm`,title:`Communicator`,cell:n=>e.names?.comm(t.comm[n])??``},{id:`site`,title:`Called from`,width:`minmax(180px, 3fr)`,cell:n=>e.names?.site(t.site[n])??``}]:[];return y`<div class="controls">
        <span class="muted">${t?t.head.is_cut?`the longest ${O(t.length)} of about ${k(t.head.total)} calls: zoom in or filter for all`:`${O(t.length)} calls`:`…`}</span>
      </div>
      ${e.run?.state===`ready`?this.#e.error?R(this.#e.error):y`<mp-vtable
            label="Calls; Enter selects one"
            aria-busy=${this.#e.isBusy}
            .columns=${n}
            .count=${t?.length??0}
            .isSelected=${e=>this.#n(e)}
            empty=${this.#e.isBusy?`…`:`No calls here.`}
            @activate=${n=>{if(!t)return;let r=n.detail;this.#t=`${t.rank[r]}:${t.row[r]}:${t.length}`,e.show({rank:t.rank[r],row:t.row[r],start_ns:t.start_ns[r],end_ns:t.start_ns[r]+t.duration_ns[r]})}}
          ></mp-vtable>`:hn()}`}};Z([C({attribute:!1})],Ri.prototype,`app`,void 0),Ri=Z([S(`mp-events`)],Ri);var zi=e=>`${e<.01?(100*e).toPrecision(1):Math.round(100*e)} %`;function Bi(e,t,n=`calls`){return!e||e.kind===`calls`?``:e.kind===`sample`?` · ${zi(e.share)} of the ${n}${t===null?``:`, reading all: ${zi(t)}`}`:` · from bins of ${[e.bin_ns>0?E(e.bin_ns):``,e.share>0?`${100*e.share} %`:``].filter(Boolean).join(` and `)}`}var Vi=0,Hi=Math.random().toString(36).slice(2,8);function Ui(e,t,n){let r=`${Hi}-${Vi++}`;return[e=>n({...t,quick:!0},e),{isSample:e=>e.basis?.kind===`sample`,exact:e=>n({...t,ask:r},e),done:t=>e.client.working(r,t)}]}function Wi(e,t){return{left:76,top:10,width:Math.max(1,e-76-14),height:Math.max(1,t-10-38)}}function $(e,t,n){return e.text?e.text(t):e.isMoment?j(t,n):nt(t,e.unit)}function Gi(e,t,n,r,i){e.font=Zn,e.lineWidth=1;let a=Rn(n.scale,Math.max(2,Math.floor(t.width/95)),n.unit),o=Rn(r.scale,Math.max(2,Math.floor(t.height/32)),r.unit),s=e=>e.length>1?e[1]-e[0]:1;e.strokeStyle=i.line,e.fillStyle=i.muted,e.textBaseline=`top`;for(let r of a){let i=Math.round(t.left+U(n.scale,r)*t.width)+.5;if(i<t.left-1||i>t.left+t.width+1)continue;e.beginPath(),e.moveTo(i,t.top),e.lineTo(i,t.top+t.height+4),e.stroke();let o=$(n,r,s(a)),c=e.measureText(o).width/2;e.textAlign=`center`,e.fillText(o,Math.min(i,t.left+t.width+12-c),t.top+t.height+6)}e.textBaseline=`middle`,e.textAlign=`right`;for(let n of o){let i=Math.round(t.top+(1-U(r.scale,n))*t.height)+.5;i<t.top-1||i>t.top+t.height+1||(e.beginPath(),e.moveTo(t.left-4,i),e.lineTo(t.left+t.width,i),e.stroke(),e.fillText($(r,n,s(o)),t.left-7,i,t.left-20))}e.strokeStyle=i.muted,e.strokeRect(t.left+.5,t.top+.5,t.width,t.height),e.font=J,e.fillStyle=i.text,e.textAlign=`center`,e.textBaseline=`bottom`,e.fillText(n.title,t.left+t.width/2,t.top+t.height+37),e.save(),e.translate(10,t.top+t.height/2),e.rotate(-Math.PI/2),e.textBaseline=`middle`,e.fillText(r.title,0,0),e.restore()}function Ki(e){let t=e.clientWidth,n=e.clientHeight;if(!t||!n)return null;let r=devicePixelRatio||1;(e.width!==Math.round(t*r)||e.height!==Math.round(n*r))&&(e.width=Math.round(t*r),e.height=Math.round(n*r));let i=e.getContext(`2d`,{alpha:!1});return i.setTransform(r,0,0,r,0,0),{c:i,width:t,height:n}}var qi=class extends x{static{this.styles=[z,_n,o`
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
    `]}#e=null;constructor(){super(),new H(this)}updated(){let e=this.renderRoot.querySelector(`canvas`);e&&(this.#e||(this.#e=new ResizeObserver(()=>{let e=this.renderRoot.querySelector(`canvas`);e&&this.paint(e),this.resized()}),this.#e.observe(this)),this.paint(e))}resized(){}disconnectedCallback(){super.disconnectedCallback(),this.#e?.disconnect(),this.#e=null}get isTwin(){return this.app.store.state.twins.includes(this.view)}twinButton(){return y`<button class="line" aria-label="As a table" aria-pressed=${this.isTwin} @click=${()=>pn(this.app,this.view)}>Table</button>`}placeTip(e,t){let n=this.renderRoot.querySelector(`.tip`),r=this.renderRoot.querySelector(`.plot`);if(!n||!r)return;let i=e+14+n.offsetWidth>r.clientWidth?Math.max(0,e-n.offsetWidth-10):e+14,a=Math.max(0,Math.min(t+12,r.clientHeight-n.offsetHeight));n.style.transform=`translate(${Math.round(i)}px, ${Math.round(a)}px)`}};Z([C({attribute:!1})],qi.prototype,`app`,void 0);var Ji=120;function Yi(e,t,n){return e===`duration`?{duration_min:Math.floor(t),duration_max:Math.ceil(n)}:e===`bytes`?{bytes_min:Math.ceil(t),bytes_max:Math.floor(n)}:e===`rank`?{ranks:`${Math.max(0,Math.ceil(t))}-${Math.max(0,Math.floor(n))}`}:e===`start`||e===`end`?`time`:null}var Xi=class extends qi{constructor(...e){super(...e),this.view=`histogram`,this.#e=new Ii(this),this.#t=new Ii(this),this.drag=null,this.over=null,this.#n=null}#e;#t;#n;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{field:t,is_log:n,of:r}=e.store.state.histogram,{area:i,filter:a}=e.store.state,o={...i?{...a,...e.store.state.scope===`run`?{}:{from:Math.round(e.window.from),until:Math.round(e.window.until)}}:e.scope,of:r,field:t,is_log:n,bins:Ji};this.#e.update([o,e.growth],...Ui(e,o,(t,n)=>e.client.histogram(t,n)));let s=this.#e.value;if(i&&s&&s.field===t&&s.max>s.min){let n={...e.scope,of:r,field:t,is_log:s.is_log,min:s.min,max:s.max,bins:Ji};this.#t.update(n,...Ui(e,n,(t,n)=>e.client.histogram(t,n)))}}#r(e){let{run:t}=this.app,n=(this.app.store.state.histogram.of===`messages`?t?.message_fields:t?.fields)?.find(t=>t.id===e.field),r={scale:{min:e.min,max:e.max,isLog:e.is_log},unit:n?.unit??``,title:n?.name??e.field,isMoment:e.field===`start`||e.field===`end`};return e.field===`function`&&(r.text=e=>this.app.names?.short(Math.round(e))??``),r}#i(e){let t=1;for(let n of e.counts)t=Math.max(t,n);return{scale:{min:0,max:t*1.05,isLog:!1},unit:``,title:this.app.store.state.histogram.of===`messages`?`Messages`:`Calls`,isMoment:!1,text:k}}paint(e){let t=Ki(e);if(!t)return;let{c:n,width:r,height:i}=t,{app:a}=this,o=q[a.theme];n.fillStyle=o.panel,n.fillRect(0,0,r,i);let s=this.#e.value;if(!s||s.total===0)return;let c=Wi(r,i);this.#n=c;let l=this.#r(s),u=this.#i(s);Gi(n,c,l,u,o);let d=a.store.state.area!==null,f=(e,t)=>{n.fillStyle=t;let r=e.counts.length;e.counts.forEach((e,t)=>{if(!e)return;let i=c.left+t/r*c.width,a=Math.max(1.5,U(u.scale,e)*c.height);n.fillRect(i,c.top+c.height-a,Math.max(1,c.width/r-.6),a)})};f(s,d?o.absent:B(V(`send`,a.theme)));let p=this.#t.value;if(d&&p&&p.field===s.field&&p.min===s.min&&f(p,B(V(`completion`,a.theme))),this.drag){n.fillStyle=o.shade;let[e,t]=[Math.min(this.drag.x0,this.drag.x1),Math.max(this.drag.x0,this.drag.x1)];n.fillRect(e,c.top,t-e,c.height),n.strokeStyle=o.accent,n.strokeRect(e,c.top,t-e,c.height)}}#a(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#o(e){let{x:t,y:n}=this.#a(e),r=this.#e.value;if(this.drag)this.drag={...this.drag,x1:t};else if(r&&this.#n){let e=Math.floor((t-this.#n.left)/this.#n.width*r.counts.length);this.over=e>=0&&e<r.counts.length?{x:t,y:n,bin:e}:null}}#s(){let e=this.drag;this.drag=null;let t=this.#e.value,n=this.#n;if(!e||!t||!n||Math.abs(e.x1-e.x0)<4)return;let r=this.#r(t).scale,i=e=>Pn(r,Math.max(0,Math.min(1,(e-n.left)/n.width)));this.#c(i(Math.min(e.x0,e.x1)),i(Math.max(e.x0,e.x1)))}#c(e,t){let{app:n}=this,{field:r}=n.store.state.histogram,i=Yi(r,e,t);i===`time`?n.store.set({area:{from:Math.floor(e),until:Math.max(Math.ceil(t),Math.floor(e)+1),row_from:null,row_until:null}}):i?n.store.set({filter:{...n.store.state.filter,...i}}):n.say(`Calls cannot be filtered by this field.`)}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let{app:e}=this,{field:t,is_log:n,of:r}=e.store.state.histogram,i=this.#e.value,a=((r===`messages`?e.run?.message_fields:e.run?.fields)??[]).filter(t=>t.id!==`iteration`||e.run?.iterations);return y`<div class="controls">
        <label>of <select aria-label="Of what" @change=${t=>e.store.set({histogram:{field:`duration`,is_log:n,of:t.target.value}})}>
          ${[`calls`,`messages`].map(e=>y`<option value=${e} ?selected=${e===r}>${e}</option>`)}
        </select></label>
        <label>field
          <select aria-label="Field" @change=${t=>e.store.set({histogram:{field:t.target.value,is_log:n,of:r}})}>
            ${a.map(e=>y`<option value=${e.id} ?selected=${e.id===t}>${e.name}</option>`)}
          </select></label>
        <label><input type="checkbox" .checked=${n} @change=${n=>e.store.set({histogram:{field:t,is_log:n.target.checked,of:r}})} />log</label>
        <span class="space"></span>
        <span class="muted">${i?`${k(i.total)} ${r}${Bi(i.basis,this.#e.done,r)}`:``}${e.store.state.area?`, the area stands out`:``}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?R(this.#e.error):this.isTwin?this.#u():this.#l():hn()}`}#l(){let e=this.#e.value,t=this.over,n=e?this.#r(e):null,r=t=>$(n,e.edges[t],1e3);return y`<div class="plot" role="group" aria-label="Histogram" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${e?`Histogram of ${n.title.toLowerCase()} of ${O(e.total)} calls`:`Histogram`}
        @pointerdown=${e=>{e.currentTarget.setPointerCapture(e.pointerId);let t=this.#a(e).x;this.drag={x0:t,x1:t}}}
        @pointermove=${e=>this.#o(e)}
        @pointerup=${()=>this.#s()}
        @pointerleave=${()=>this.over=null}
      ></canvas>
      ${e&&e.total===0?y`<p class="note">No calls here have this value.</p>`:b}
      ${t&&e&&!this.drag?y`<div class="tip number">${r(t.bin)} – ${r(t.bin+1)}<br />${O(e.counts[t.bin])} calls, ${E(e.time_ns[t.bin])}</div>`:b}
    </div>`}#u(){let e=this.#e.value,t=e?e.counts.map((e,t)=>t).filter(t=>e.counts[t]):[],n=e?this.#r(e):null;return y`<mp-vtable
      label="Histogram as a table; Enter filters by a row"
      .columns=${[{id:`from`,title:`From`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:r=>$(n,e.edges[t[r]],1e3)},{id:`until`,title:`Until`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:r=>$(n,e.edges[t[r]+1],1e3)},{id:`count`,title:`Calls`,isNumber:!0,cell:n=>O(e.counts[t[n]])},{id:`time`,title:`Time`,isNumber:!0,cell:n=>E(e.time_ns[t[n]])}]}
      .count=${t.length}
      @activate=${n=>e&&this.#c(e.edges[t[n.detail]],e.edges[t[n.detail]+1])}
    ></mp-vtable>`}};Z([w()],Xi.prototype,`drag`,void 0),Z([w()],Xi.prototype,`over`,void 0),Xi=Z([S(`mp-histogram`)],Xi);var Zi=class extends x{static{this.styles=[z,o`
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
    `]}#e=new Ii(this);constructor(){super(),new H(this)}willUpdate(){let{app:e}=this;if(!e.store.state.area||e.run?.state!==`ready`)return;let t={...e.scope,by:`function`,sort:`total_ns`,limit:40};this.#e.update(t,n=>e.client.groups(t,n))}render(){let{app:e}=this,{area:t}=e.store.state;if(!t)return y`<p class="muted">Drag over the timeline to select a stretch of time and ranks: its statistics stand here, and the views below are about it alone.</p>`;let n=(t.until-t.from)/1e3,r=t.row_from===null?0:t.row_from,i=(t.row_until===null?e.rows:Math.min(t.row_until,e.rows))-1,a=this.#e.value,o=a?.rows.reduce((e,t)=>e+t.total_ns,0)??0,s=a?.rows.reduce((e,t)=>e+t.share,0)??0,c=e.order?`rows`:`ranks`;return y`<h2 class="number">${E(t.until-t.from)} × ${O(i-r+1)} ${i===r?`rank`:`ranks`}</h2>
      <div class="muted number">${j(t.from,n)} to ${j(t.until,n)}; ${i===r?`rank ${e.worldRank(e.rankAt(r))}`:`${c} ${r} to ${i}`}</div>
      <div class="buttons">
        <button class="line" @click=${()=>e.setWindow({from:t.from,until:t.until,row_from:r,row_until:i+1},!1)}>Zoom to it</button>
        <button class="line" @click=${()=>e.store.set({area:null})}>Take back</button>
      </div>
      ${this.#e.error?R(this.#e.error):b}
      ${a?y`<table aria-busy=${this.#e.isBusy}>
            <thead>
              <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
            </thead>
            <tbody>
              ${a.rows.map(t=>y`<tr>
                  <td>${t.key[0]?.id===null?b:jn(e,t.key[0].id)} ${t.key[0]?.text.replace(/^MPI_/,``)}</td>
                  <td class="number">${O(t.count)}</td>
                  <td class="number">${E(t.total_ns)}</td>
                  <td class="number">${A(t.share)}</td>
                </tr>`)}
              <tr><td><b>in MPI</b></td><td></td><td class="number">${E(o)}</td><td class="number">${A(s)}</td></tr>
            </tbody>
          </table>`:b}`}};Z([C({attribute:!1})],Zi.prototype,`app`,void 0),Zi=Z([S(`mp-area`)],Zi);var Qi=[[`rank`,`previous`,`next`],[`function`,`previous-function`,`next-function`],[`communicator`,`previous-comm`,`next-comm`],[`call site`,`previous-site`,`next-site`],[`message, collective`,`along-previous`,`along-next`],[`longer`,`previous-longer`,`next-longer`]],$i={},ea=e=>$i[e]??e.replace(/_/g,` `).replace(/\bnxn\b/,`N×N`),ta=class extends x{static{this.styles=[z,o`
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
    `]}constructor(){super(),new H(this)}render(){let{app:e}=this,{selection:t}=e.store.state;if(!t)return y`<div class="body">
        <p class="muted">Click a call in the timeline or a point in the scatter plot, or press <kbd>L</kbd> for the longest call in sight.</p>
        ${this.#o()}
      </div>`;if(e.detailError)return R(e.detailError);let n=e.detail;return n?y`<div class="body">${this.#t(n)} ${this.#o()}</div>`:y`<p class="note" role="status">…</p>`}#e(e){this.app.goTo(async t=>{let n=await this.app.client.call(e,t);return{...e,start_ns:n.start_ns,end_ns:n.start_ns+n.duration_ns}},`This call is not there.`)}#t(e){let{app:t}=this,n=(e,t)=>t==null||t===``?b:y`<dt>${e}</dt><dd class="number">${t}</dd>`,r=e.bytes_sent?D(e.bytes_sent):null,i=e.bytes_received?D(e.bytes_received):null,a=e.bytes_sent+e.bytes_received;return y`<h2>${jn(t,e.function_id)} ${e.function}</h2>
      <div class="number"><b>${E(e.duration_ns)}</b> <span class="muted">on rank ${e.world_rank}${t.run&&t.run.hosts.length>1?y`, ${e.host}`:b}</span></div>
      ${e.is_failed?y`<div class="bad">It failed.</div>`:b}
      ${e.is_poll?y`<div class="muted">${O(e.count)} unsuccessful polls in one</div>`:b}
      ${e.is_nested?y`<div class="muted">Inside of another call</div>`:b}
      <dl>
        ${n(`start`,j(e.start_ns,1))} ${n(`end`,j(e.end_ns??e.start_ns+e.duration_ns,1))}
        ${n(`thread`,(t.run?.ranks.threads[e.rank]??1)>1?e.thread:null)}
        ${n(`communicator`,e.comm)} ${n(`peer`,e.peer===null?null:t.worldRank(e.peer))} ${n(`root`,e.root===null?null:t.worldRank(e.root))}
        ${n(`tag`,e.peer===null?null:e.tag)} ${n(`sent`,r)} ${n(`received`,i)}
        ${n(`elements`,e.elements?y`${O(e.elements)}${e.datatype?y` × ${e.datatype}`:b}`:null)}
        ${n(`bytes in time`,a&&e.duration_ns?`${D(a/e.duration_ns*1e9)}/s`:null)}
        ${n(`region`,e.region)} ${n(`iteration`,e.iteration)} ${n(`call number`,O(e.row))}
      </dl>
      ${this.#r(e)} ${this.#i(e)} ${this.#a(e)} ${this.#n(e)}`}#n(e){let{frames:t,text:n}=e.site;return!n&&!t.length?b:y`<h3>Called from</h3>
      ${t.length>1?y`<ol class="mono">${t.map(e=>y`<li>${e}</li>`)}</ol>`:y`<div class="mono">${t[0]??n}</div>`}`}#r(e){return e.waits.length?y`<h3>Waits in it</h3>
      <ul>
        ${e.waits.map(e=>y`<li>
            ${E(e.end_ns-e.start_ns)} ${ea(e.kind)}${e.cause?y`, for <button class="link" @click=${()=>this.#e(e.cause)}>rank ${this.app.worldRank(e.cause.rank)}</button>`:b}
          </li>`)}
      </ul>`:b}#i(e){return e.messages.length?y`<h3>Messages</h3>
      <ul>
        ${e.messages.slice(0,12).map(e=>y`<li>
            ${e.direction.startsWith(`s`)?`to`:`from`}
            <button class="link" @click=${()=>this.#e({rank:e.rank,row:e.row})}>rank ${this.app.worldRank(e.rank)}</button>
            ${D(e.bytes)}, tag ${e.tag}${e.received_ns===null?`, never received`:y`, ${E(e.received_ns-e.sent_ns)} on its way`}
          </li>`)}
        ${e.messages.length>12?y`<li class="muted">and ${e.messages.length-12} more</li>`:b}
      </ul>`:b}#a(e){let t=e.collective;return t?y`<h3>Collective operation</h3>
      <dl>
        <dt>which</dt><dd>number ${O(t.number)} on ${t.comm}</dd>
        <dt>members</dt><dd>${O(t.members)}${t.missing?`, ${O(t.missing)} more not recorded`:``}</dd>
        <dt>came in over</dt><dd>${E(t.last_start_ns-t.first_start_ns)}</dd>
        ${t.last_rank===null?b:y`<dt>last</dt><dd>rank ${this.app.worldRank(t.last_rank)}</dd>`}
      </dl>`:b}#o(){let{app:e}=this,t=(t,n)=>{let r=mn.find(e=>e.id===t),i=r.keys[0];return y`<button class="line" title=${r.title} ?disabled=${!(r.when?.(e)??!0)} @click=${()=>r.run(e)}>
        <span aria-hidden="true">${n}</span>${i?y`<kbd aria-hidden="true">${Ot(i)}</kbd>`:b}<span class="hidden-text">${r.title}</span>
      </button>`};return y`<h3>Walk</h3>
      <div class="walks">${Qi.map(([e,n,r])=>y`${t(n,`‹`)}<span>${e}</span>${t(r,`›`)}`)}</div>`}};Z([C({attribute:!1})],ta.prototype,`app`,void 0),ta=Z([S(`mp-inspector`)],ta);var na=class extends x{static{this.styles=[z,o`
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
    `]}constructor(){super(),this.text=``,this.sort=`time_ns`,new H(this)}#e(){let{app:e}=this,t=e.run;if(!t)return[];let n=(e,t,n,r)=>({key:t,name:e,swatch:n,functions:r.map(e=>e.id),calls:r.reduce((e,t)=>e+t.calls,0),time_ns:r.reduce((e,t)=>e+t.time_ns,0),exclusive_ns:r.reduce((e,t)=>e+t.exclusive_ns,0)}),r=e.store.state.colouring===`class`?t.classes.map(r=>n(r.name,r.id,Mn(e,r.id),t.functions.filter(e=>e.class===r.id))).filter(e=>e.functions.length):t.functions.map(t=>n(t.name,String(t.id),jn(e,t.id),[t])),i=this.text.trim().toLowerCase();return r.filter(e=>e.name.toLowerCase().includes(i)).sort((e,t)=>this.sort===`name`?e.name.localeCompare(t.name):t[this.sort]-e[this.sort]||e.name.localeCompare(t.name))}#t(e,t){let n=new Set(this.app.store.state.hidden);for(let r of e)t?n.delete(r):n.add(r);this.app.store.set({hidden:[...n].sort((e,t)=>e-t)})}#n(e,t){let n=new Set(this.app.store.state.skipped);for(let r of e)t?n.delete(r):n.add(r);this.app.store.set({skipped:[...n].sort((e,t)=>e-t)})}#r(e,t,n){let r=this.sort===e;return y`<th scope="col" aria-sort=${r?e===`name`?`ascending`:`descending`:b} title=${n}>
      <button @click=${()=>this.sort=e}>${t}${r?e===`name`?` ▴`:` ▾`:``}</button>
    </th>`}render(){let{app:e}=this,t=e.run;if(!t)return y``;let n=this.#e(),r=new Set(e.store.state.hidden),i=new Set(e.store.state.skipped),a=n.flatMap(e=>e.functions),o=e.store.state.filter.functions,s=t.functions.reduce((e,t)=>e+t.time_ns,0);return y`<div class="top">
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
            ${n.map(t=>{let n=t.functions.some(e=>!r.has(e)),a=n&&t.functions.some(e=>!i.has(e)),c=o!==null&&t.functions.length===o.length&&t.functions.every(e=>o.includes(e));return y`<tr class=${n?``:`off`}>
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
                <td class="number" title=${O(t.calls)}>${k(t.calls)}</td>
                <td class="number" title="${A(t.time_ns/Math.max(1,s))} of the time in MPI">${E(t.time_ns)}</td>
                <td class="number">${E(t.exclusive_ns)}</td>
              </tr>`})}
          </tbody>
        </table>
      </div>
      <div class="ground">
        <span>${Nn(B(bn[e.theme]))} computing</span>
        <span>${Nn(`#d9a43a`,!0)} waiting, inside of a call</span>
      </div>`}};Z([C({attribute:!1})],na.prototype,`app`,void 0),Z([w()],na.prototype,`text`,void 0),Z([w()],na.prototype,`sort`,void 0),na=Z([S(`mp-legend`)],na);var ra=[{id:`bytes`,title:`Bytes`,text:D},{id:`count`,title:`Messages`,text:O},{id:`mean`,title:`Mean size`,text:D},{id:`latency`,title:`Mean time sent to received`,text:E},{id:`longest`,title:`Longest time sent to received`,text:E}],ia=256;function aa(e,t,n){switch(n){case`count`:return e.count[t];case`mean`:return e.count[t]>0?e.bytes[t]/e.count[t]:0;case`latency`:return e.latency_ns[t];case`longest`:return e.longest_ns[t];default:return e.bytes[t]}}var oa=class extends qi{constructor(...e){super(...e),this.view=`matrix`,this.#e=new Ii(this),this.over=null,this.#t=null,this.#n=null}#e;#t;#n;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by:t,comm:n}=e.store.state.matrix,r={...ct(e.store.state,e.window),comm:n??e.store.state.filter.comm,by:t,blocks:ia};this.#e.update([r,e.growth],...Ui(e,r,(t,n)=>e.client.matrix(t,n)))}#r(e,t){let n=this.#e.value;if(!n)return-1;if(this.#n?.of!==n){let e=new Map;for(let t=0;t<n.sender.length;t++)e.set(n.sender[t]*n.rows+n.receiver[t],t);this.#n={of:n,at:e}}return this.#n.at.get(e*n.rows+t)??-1}paint(e){let t=Ki(e);if(!t)return;let{c:n,width:r,height:i}=t,{app:a}=this,o=q[a.theme];n.fillStyle=o.panel,n.fillRect(0,0,r,i);let s=this.#e.value;if(!s||!s.rows)return;let c=Math.min(r-84-120,i-30-12),l=Math.max(.5,Math.min(40,c/s.rows));this.#t={left:84,top:30,size:l};let u=l*s.rows;n.fillStyle=o.faint,n.fillRect(84,30,u,u);let{value:d}=a.store.state.matrix,f=0;for(let e=0;e<s.sender.length;e++)f=Math.max(f,aa(s,e,d));let p=+(l>6);for(let e=0;e<s.sender.length;e++)n.fillStyle=B(An(.18+.82*(f>0?aa(s,e,d)/f:0),a.theme)),n.fillRect(84+s.receiver[e]*l,30+s.sender[e]*l,Math.max(1,l-p),Math.max(1,l-p));n.strokeStyle=o.line,n.strokeRect(83.5,29.5,u+1,u+1),this.#i(n,s,{left:84,top:30,size:l}),this.#a(n,{x:84+u+18,y:30,h:Math.min(u,160)},f,ra.find(e=>e.id===d).text),this.over&&(n.strokeStyle=o.accent,n.lineWidth=2,n.strokeRect(84+this.over.receiver*l,30+this.over.sender*l,Math.max(2,l),Math.max(2,l)),n.lineWidth=1)}#i(e,t,{left:n,top:r,size:i}){let a=q[this.app.theme];e.font=J,e.fillStyle=a.muted;let o=Math.max(1,Math.ceil(14/i)),s=Math.max(1,Math.ceil(24/i)),c=t.labels.every(e=>e.length<=5);for(let a=0;a<t.rows;a++){let l=t.labels[a]??String(a);a%o===0&&(e.textAlign=`right`,e.textBaseline=`middle`,e.fillText(l,n-5,r+(a+.5)*i,n-22)),a%s===0&&c&&(e.textAlign=`center`,e.textBaseline=`bottom`,e.fillText(l,n+(a+.5)*i,r-3))}e.fillStyle=a.text,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(`receiver →`,n,3),e.save(),e.translate(9,r),e.rotate(-Math.PI/2),e.textAlign=`right`,e.textBaseline=`middle`,e.fillText(`← sender`,0,0),e.restore()}#a(e,t,n,r){let i=q[this.app.theme];for(let n=0;n<t.h;n++)e.fillStyle=B(An(.18+.82*(1-n/t.h),this.app.theme)),e.fillRect(t.x,t.y+n,12,1.5);e.fillStyle=i.muted,e.font=J,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(r(n),t.x+17,t.y),e.textBaseline=`bottom`,e.fillText(`0`,t.x+17,t.y+t.h)}#o(e){let t=this.#e.value,n=this.#t;if(!t||!n)return null;let r=this.renderRoot.querySelector(`.plot`).getBoundingClientRect(),i=e.clientX-r.left,a=e.clientY-r.top,o=Math.floor((i-n.left)/n.size),s=Math.floor((a-n.top)/n.size);return s<0||o<0||s>=t.rows||o>=t.rows?null:{x:i,y:a,sender:s,receiver:o}}#s(e,t){let n=this.#e.value,{app:r}=this;if(!n||r.store.state.matrix.by===`host`){n&&r.store.set({filter:{...r.store.state.filter,host:e}});return}let i=Math.max(1,n.ranks_per_block),a=i===1?String(e):`${e*i}-${(e+1)*i-1}`;r.store.set({filter:{...r.store.state.filter,ranks:a,peer:i===1?t:null}})}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let{app:e}=this,t=e.store.state.matrix,n=e.run?.communicators??[],r=t=>e.store.set({matrix:{...e.store.state.matrix,...t}});return y`<div class="controls">
        <label>show
          <select aria-label="Value" @change=${e=>r({value:e.target.value})}>
            ${ra.map(e=>y`<option value=${e.id} ?selected=${e.id===t.value}>${e.title}</option>`)}
          </select></label>
        <label>by
          <select aria-label="Rows and columns" @change=${e=>r({by:e.target.value})}>
            <option value="rank" ?selected=${t.by===`rank`}>rank</option>
            <option value="host" ?selected=${t.by===`host`}>host</option>
          </select></label>
        <label>on
          <select aria-label="Communicator" @change=${e=>r({comm:e.target.value===``?null:Number(e.target.value)})}>
            <option value="" ?selected=${t.comm===null}>all communicators</option>
            ${n.slice(0,200).map(e=>y`<option value=${e.id} ?selected=${e.id===t.comm}>${e.name}</option>`)}
          </select></label>
        <span class="space"></span>
        <span class="muted">${Bi(this.#e.value?.basis,this.#e.done,`messages`).replace(/^ · /,``)}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?R(this.#e.error):this.isTwin?this.#l():this.#c():hn()}`}#c(){let e=this.#e.value,t=this.over,n=t?this.#r(t.sender,t.receiver):-1;return y`<div class="plot" role="group" aria-label="Communication matrix" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${e?`Communication matrix of ${e.rows} rows, ${O(e.sender.length)} pairs that exchange messages`:`Communication matrix`}
        @pointermove=${e=>this.over=this.#o(e)}
        @pointerleave=${()=>this.over=null}
        @click=${e=>{let t=this.#o(e);t&&this.#s(t.sender,t.receiver)}}
      ></canvas>
      ${e&&!e.sender.length?y`<p class="note">No messages here.</p>`:b}
      ${t&&e?y`<div class="tip number">
            <b>${e.labels[t.sender]} → ${e.labels[t.receiver]}</b><br />
            ${n<0?`no messages`:y`${O(e.count[n])} messages, ${D(e.bytes[n])}<br />mean ${E(e.latency_ns[n])}, longest
                  ${E(e.longest_ns[n])}`}
          </div>`:b}
    </div>`}#l(){let e=this.#e.value,{value:t}=this.app.store.state.matrix,n=e?Array.from(e.sender,(e,t)=>t).sort((n,r)=>aa(e,r,t)-aa(e,n,t)):[];return y`<mp-vtable
      label="Communication matrix as a table; Enter filters by a row"
      .columns=${[{id:`sender`,title:`Sender`,isNumber:!0,cell:t=>e.labels[e.sender[n[t]]]??``},{id:`receiver`,title:`Receiver`,isNumber:!0,cell:t=>e.labels[e.receiver[n[t]]]??``},...ra.map(t=>({id:t.id,title:t.title,isNumber:!0,width:`minmax(110px, 1fr)`,cell:r=>t.text(aa(e,n[r],t.id))}))]}
      .count=${n.length}
      @activate=${t=>e&&this.#s(e.sender[n[t.detail]],e.receiver[n[t.detail]])}
    ></mp-vtable>`}};Z([w()],oa.prototype,`over`,void 0),oa=Z([S(`mp-matrix`)],oa);var sa=2e4,ca=8,la=class extends qi{constructor(...e){super(...e),this.view=`scatter`,this.#e=new Ii(this),this.drag=null,this.over=null,this.#t=null,this.#n=null}#e;#t;#n;#r(){let{app:e}=this;return(e.store.state.scatter.of===`messages`?e.run?.message_fields:e.run?.fields)??[]}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t=e.store.state.scatter,n=Math.max(64,Math.min(1024,Math.round((this.clientWidth||600)-90))),r=Math.max(48,Math.min(1024,Math.round((this.clientHeight||300)-82))),i={...e.scope,of:t.of,x:t.x,y:t.y,x_log:t.x_log,y_log:t.y_log,x_min:t.x_min,x_max:t.x_max,y_min:t.y_min,y_max:t.y_max,width:Math.ceil(n/2),height:Math.ceil(r/2),points:sa};this.#e.update([i,e.growth],...Ui(e,i,(t,n)=>e.client.scatter(t,n)))}resized(){this.requestUpdate()}#i(e){let t=this.#r().find(t=>t.id===e.field),n={scale:{min:e.min,max:e.max,isLog:e.is_log},unit:t?.unit??``,title:t?.name??e.field,isMoment:e.field===`start`||e.field===`end`};return e.field===`function`&&(n.text=e=>this.app.names?.short(Math.round(e))??``),n}#a(e){let{app:t}=this,n=t.names?.classOf(e)??`local`;return B(t.store.state.colouring===`class`?V(n,t.theme):On(e,n,t.theme))}paint(e){let t=Ki(e);if(!t)return;let{c:n,width:r,height:i}=t,a=q[this.app.theme];n.fillStyle=a.panel,n.fillRect(0,0,r,i);let o=this.#e.value;if(!o||o.total===0)return;let s=Wi(r,i);this.#t=s;let c=this.#i(o.x),l=this.#i(o.y);if(Gi(n,s,c,l,a),n.save(),n.beginPath(),n.rect(s.left,s.top,s.width,s.height),n.clip(),o.density?this.#s(n,s,o):this.#o(n,s,o,c,l),this.#c(n,s,o,c,l),this.#l(n,s,o,c,l),n.restore(),this.drag){let{x0:e,y0:t,x1:r,y1:i}=this.drag;n.strokeStyle=a.accent,n.lineWidth=1.5,n.fillStyle=a.shade,n.fillRect(Math.min(e,r),Math.min(t,i),Math.abs(r-e),Math.abs(i-t)),n.strokeRect(Math.min(e,r),Math.min(t,i),Math.abs(r-e),Math.abs(i-t))}}#o(e,t,n,r,i){let a=n.points,o=new Set(this.app.store.state.hidden),s=a.x.length>6e3?2:3,c=new Map;for(let n=0;n<a.x.length;n++){let l=a.function[n];if(o.has(l))continue;let u=c.get(l);u||c.set(l,u=this.#a(l)),e.fillStyle!==u&&(e.fillStyle=u);let d=t.left+U(r.scale,a.x[n])*t.width,f=t.top+(1-U(i.scale,a.y[n]))*t.height;e.fillRect(d-s/2,f-s/2,s,s)}}#s(e,t,n){let{app:r}=this;if(this.#n?.of!==n||this.#n.theme!==r.theme){let{width:e,height:t,count:i}=n.density,a=new ImageData(e,t),o=1;for(let e of i)o=Math.max(o,e);let s=Math.log(o+1);for(let n=0;n<t;n++)for(let o=0;o<e;o++){let c=i[n*e+o];if(!c)continue;let l=An(.25+.75*Math.log(c+1)/s,r.theme),u=((t-1-n)*e+o)*4;a.data[u]=l>>16,a.data[u+1]=l>>8&255,a.data[u+2]=l&255,a.data[u+3]=255}let c=new OffscreenCanvas(e,t);c.getContext(`2d`).putImageData(a,0,0),this.#n={of:n,theme:r.theme,canvas:c}}e.imageSmoothingEnabled=!1,e.drawImage(this.#n.canvas,t.left,t.top,t.width,t.height)}#c(e,t,n,r,i){let a=n.fit;if(a&&a.bytes_per_ns>0){e.strokeStyle=q[this.app.theme].path,e.lineWidth=1.5,e.setLineDash([5,3]),e.beginPath();for(let n=0;n<=60;n++){let o=Pn(r.scale,n/60),s=t.left+n/60*t.width,c=t.top+(1-U(i.scale,a.latency_ns+o/a.bytes_per_ns))*t.height;n===0?e.moveTo(s,c):e.lineTo(s,c)}e.stroke(),e.setLineDash([])}}#l(e,t,n,r,i){let{selection:a}=this.app.store.state,o=n.points;if(a&&o)for(let n=0;n<o.x.length;n++){if(o.rank[n]!==a.rank||o.row[n]!==a.row)continue;let s=t.left+U(r.scale,o.x[n])*t.width,c=t.top+(1-U(i.scale,o.y[n]))*t.height;e.strokeStyle=q[this.app.theme].selection,e.lineWidth=2,e.beginPath(),e.arc(s,c,6,0,7),e.stroke()}}#u(e,t){let n=this.#e.value,r=this.#t;if(!n?.points||!r)return-1;let i=this.#i(n.x).scale,a=this.#i(n.y).scale,o=-1,s=ca**2;for(let c=0;c<n.points.x.length;c++){let l=r.left+U(i,n.points.x[c])*r.width-e,u=r.top+(1-U(a,n.points.y[c]))*r.height-t,d=l*l+u*u;d<s&&(s=d,o=c)}return o}#d(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#f(e){if(e.button!==0||!this.#t)return;let{x:t,y:n}=this.#d(e);e.currentTarget.setPointerCapture(e.pointerId),this.drag={x0:t,y0:n,x1:t,y1:n}}#p(e){let{x:t,y:n}=this.#d(e);if(this.drag)this.drag={...this.drag,x1:t,y1:n};else{let e=this.#u(t,n);this.over=e>=0?{x:t,y:n,index:e}:null}}#m(){let e=this.drag;if(this.drag=null,!e)return;if(Math.abs(e.x1-e.x0)<4&&Math.abs(e.y1-e.y0)<4){this.#h(this.#u(e.x1,e.y1));return}let t=this.#e.value,n=this.#t;if(!t||!n)return;let r=(e,t,n)=>Math.max(0,Math.min(1,(e-t)/n)),i=[e.x0,e.x1].map(e=>Pn(this.#i(t.x).scale,r(e,n.left,n.width))).sort((e,t)=>e-t),a=[e.y0,e.y1].map(e=>Pn(this.#i(t.y).scale,1-r(e,n.top,n.height))).sort((e,t)=>e-t);this.#g({x_min:i[0],x_max:i[1],y_min:a[0],y_max:a[1]})}#h(e){let t=this.#e.value?.points;if(!t||e<0)return;let n={rank:t.rank[e],row:t.row[e]};this.app.goTo(async e=>{let t=await this.app.client.call(n,e);return{...n,start_ns:t.start_ns,end_ns:t.start_ns+t.duration_ns}},`This call is not there any more.`)}#g(e){this.app.store.set({scatter:{...this.current(),...e}})}current(){return this.app.store.state.scatter}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let e=this.current(),t=this.#e.value,n=e.x_min!==null||e.y_min!==null,r=this.#r().filter(e=>e.id!==`iteration`||this.app.run?.iterations),i=e=>r.map(t=>y`<option value=${t.id} ?selected=${t.id===e}>${t.name}</option>`),a={x_min:null,x_max:null,y_min:null,y_max:null},o=e=>this.#g({of:e,x:e===`messages`?`bytes`:`end`,y:`duration`,...a});return y`<div class="controls">
        <label>of <select aria-label="Of what" @change=${e=>o(e.target.value)}>
          ${[`calls`,`messages`].map(t=>y`<option value=${t} ?selected=${t===e.of}>${t}</option>`)}
        </select></label>
        <label>y <select aria-label="Vertical axis" @change=${e=>this.#g({y:e.target.value,...a})}>${i(e.y)}</select></label>
        <label><input type="checkbox" aria-label="Vertical axis logarithmic" .checked=${e.y_log} @change=${e=>this.#g({y_log:e.target.checked})} />log</label>
        <label>x <select aria-label="Horizontal axis" @change=${e=>this.#g({x:e.target.value,...a})}>${i(e.x)}</select></label>
        <label><input type="checkbox" aria-label="Horizontal axis logarithmic" .checked=${e.x_log} @change=${e=>this.#g({x_log:e.target.checked})} />log</label>
        ${n?y`<button class="line" @click=${()=>this.#g(a)}>All values</button>`:b}
        <span class="space"></span>
        <span class="muted">${t?this.#_(t):``}</span>
        ${this.twinButton()}
      </div>
      ${this.app.run?.state===`ready`?this.#e.error?R(this.#e.error):this.isTwin?this.#b():this.#v():hn()}`}#_(e){let t=e.fit&&e.fit.bytes_per_ns>0?` · fit ${E(Math.max(0,e.fit.latency_ns))} + bytes ÷ ${et(e.fit.bytes_per_ns*1e9)} (R² ${e.fit.r2.toFixed(2)})`:``,n=this.current().of;return`${k(e.total)} ${n}${e.form===`density`?`, density`:``}${Bi(e.basis,this.#e.done,n)}${t}`}#v(){let e=this.#e.value,{app:t}=this,n=e?.points,r=this.over,i=e?`${this.#i(e.y).title} against ${this.#i(e.x).title} of ${O(e.total)} ${this.current().of}`:`Scatter plot`;return y`<div class="plot" role="group" aria-label="Scatter plot" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${i}
        @pointerdown=${e=>this.#f(e)}
        @pointermove=${e=>this.#p(e)}
        @pointerup=${()=>this.#m()}
        @pointerleave=${()=>this.over=null}
      ></canvas>
      ${e&&e.total===0?y`<p class="note">No ${this.current().of} here have both values.</p>`:b}
      ${r&&n&&!this.drag?y`<div class="tip">
            <b>${t.names?.function(n.function[r.index])}</b> <span class="muted">rank ${t.worldRank(n.rank[r.index])}</span><br />
            ${this.#y(e.y,n.y[r.index])}; ${this.#y(e.x,n.x[r.index])}
          </div>`:b}
    </div>`}#y(e,t){let n=this.#i(e);return`${n.title.toLowerCase()} ${$(n,t,1)}`}#b(){let e=this.#e.value;if(!e)return y`<mp-vtable label="Scatter as a table" .columns=${[]} .count=${0} empty="…"></mp-vtable>`;let{app:t}=this,n=this.#i(e.x),r=this.#i(e.y);if(e.points){let i=e.points;return y`<mp-vtable
        label="Scatter as a table; Enter shows a call in the timeline"
        .columns=${[{id:`function`,title:`Function`,cell:e=>t.names?.function(i.function[e])??``},{id:`rank`,title:`Rank`,isNumber:!0,cell:e=>String(t.worldRank(i.rank[e]))},{id:`x`,title:n.title,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>$(n,i.x[e],1)},{id:`y`,title:r.title,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>$(r,i.y[e],1)}]}
        .count=${i.x.length}
        @activate=${e=>this.#h(e.detail)}
      ></mp-vtable>`}let i=e.density,a=[];i.count.forEach((e,t)=>e&&a.push(t)),a.sort((e,t)=>i.count[t]-i.count[e]);let o=(e,t,n)=>{let r=t=>e.isMoment?j(t,1e3):e.text?e.text(t):nt(t,e.unit);return`${r(Pn(e.scale,t/n))} – ${r(Pn(e.scale,(t+1)/n))}`};return y`<mp-vtable label="Scatter as a table of densities" .columns=${[{id:`count`,title:`Calls`,isNumber:!0,cell:e=>O(i.count[a[e]])},{id:`x`,title:n.title,isNumber:!0,width:`minmax(190px, 2fr)`,cell:e=>o(n,a[e]%i.width,i.width)},{id:`y`,title:r.title,isNumber:!0,width:`minmax(190px, 2fr)`,cell:e=>o(r,Math.floor(a[e]/i.width),i.height)},{id:`function`,title:`Commonest`,cell:e=>t.names?.function(i.function[a[e]])??``}]} .count=${a.length} .canActivate=${!1}></mp-vtable>`}};Z([w()],la.prototype,`drag`,void 0),Z([w()],la.prototype,`over`,void 0),la=Z([S(`mp-scatter`)],la);var ua=[{id:`function`,title:`Function`},{id:`site`,title:`Call site`},{id:`rank`,title:`Rank`},{id:`host`,title:`Host`},{id:`peer`,title:`Peer`},{id:`comm`,title:`Communicator`},{id:`size_bin`,title:`Size bin`},{id:`bytes`,title:`Bytes`},{id:`tag`,title:`Tag`},{id:`region`,title:`Region`},{id:`iteration`,title:`Iteration`},{id:`thread`,title:`Thread`},{id:`class`,title:`Class`}],da=e=>ua.find(t=>t.id===e)?.title??e;function fa(e,t,n){let{id:r}=t;if(r===null)return null;switch(e){case`function`:return{functions:[r]};case`class`:return{functions:n(r)};case`rank`:return{ranks:String(r)};case`bytes`:return{bytes_min:r,bytes_max:r};case`size_bin`:return ma(r);case`host`:case`peer`:case`comm`:case`tag`:case`site`:case`region`:case`iteration`:case`thread`:return{[e]:r};default:return null}}var pa=31;function ma(e){return e>=pa?{bytes_min:2**30,bytes_max:null}:e<=0?{bytes_min:0,bytes_max:0}:{bytes_min:2**(e-1),bytes_max:2**e-1}}var ha=5e3,ga=[`count`,`total_ns`,`mean_ns`,`max_ns`,`bytes`],_a=[{id:`count`,title:`Count`,text:O},{id:`total_ns`,title:`Total`,text:E},{id:`share`,title:`Share`,text:A,help:`Of the time of all ranks in the stretch`},{id:`mean_ns`,title:`Mean`,text:E},{id:`median_ns`,title:`Median`,text:E},{id:`min_ns`,title:`Min`,text:E},{id:`max_ns`,title:`Max`,text:E},{id:`p95_ns`,title:`P95`,text:E,help:`95 of 100 calls take at most so long`},{id:`p99_ns`,title:`P99`,text:E,help:`99 of 100 calls take at most so long`},{id:`sd_ns`,title:`SD`,text:E,help:`Standard deviation`},{id:`bytes`,title:`Bytes`,text:D}];function va(e,t,n){let r=n?1:-1,i=/^key(\d)$/.exec(t),a=(e,n)=>{if(i){let t=Number(i[1]),[r,a]=[e.key[t],n.key[t]];return(r?.text??``).localeCompare(a?.text??``,`en`,{numeric:!0})}return(e[t]??0)-(n[t]??0)};return[...e].sort((e,t)=>r*a(e,t))}var ya=class extends x{static{this.styles=[z,_n,o`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      mp-vtable {
        flex: 1;
      }
    `]}#e=new Ii(this);constructor(){super(),new H(this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by:t,sort:n}=e.store.state.table,r={...e.scope,by:t,sort:ga.includes(n)?n:`total_ns`,limit:ha};this.#e.update([r,e.growth],...Ui(e,r,(t,n)=>e.client.groups(t,n)))}#t(e,t){let n=this.app.store.state.table.by.split(`,`);t===``?n.splice(e,1):n[e]=t,this.app.store.set({table:{...this.app.store.state.table,by:[...new Set(n)].join(`,`)}})}#n(e){let{table:t}=this.app.store.state,n=t.sort===e?!t.ascending:e.startsWith(`key`)||e===`min_ns`;this.app.store.set({table:{...t,sort:e,ascending:n}})}#r(e){let{app:t}=this,n=t.store.state.table.by.split(`,`),r=t.run?.classes??[],i=e=>(t.run?.functions??[]).filter(t=>t.class===r[e]?.id).map(e=>e.id),a=t.store.state.filter,o=!1;n.forEach((t,n)=>{let r=e.key[n]?fa(t,e.key[n],i):null;r&&(a={...a,...r},o=!0)}),o?t.store.set({filter:a}):t.say(`Calls without such a value cannot be filtered by it.`)}render(){let{app:e}=this,{by:t,sort:n,ascending:r}=e.store.state.table,i=t.split(`,`),a=this.#e.value,o=a?va(a.rows,n,r):[],s=[...i.map((e,t)=>({id:`key${t}`,title:da(e),isSortable:!0,width:`minmax(130px, 2.5fr)`,cell:n=>this.#i(e,o[n],t)})),..._a.map(({id:e,title:t,text:n,help:r})=>({id:e,title:t,isNumber:!0,isSortable:!0,...r?{help:r}:{},cell:t=>n(o[t][e])}))],c=ua.filter(t=>t.id!==`iteration`||e.run?.iterations).filter(t=>t.id!==`region`||e.run?.regions.length),l=(e,t)=>y`${t?y`<option value="" ?selected=${!e}>–</option>`:b}${c.map(t=>y`<option value=${t.id} ?selected=${t.id===e}>${t.title}</option>`)}`;return y`<div class="controls">
        <label>group by
          <select @change=${e=>this.#t(0,e.target.value)}>${l(i[0],!1)}</select></label>
        <label>and
          <select @change=${e=>this.#t(1,e.target.value)}>${l(i[1],!0)}</select></label>
        <span class="space"></span>
        <span class="muted">${a?a.is_cut?`the first ${O(a.rows.length)} of ${O(a.total)} groups`:`${O(a.total)} groups`:``}${Bi(a?.basis,this.#e.done)}</span>
      </div>
      ${e.run?.state===`ready`?this.#e.error?R(this.#e.error):y`<mp-vtable
            label="Statistics of calls; Enter filters by a row"
            aria-busy=${this.#e.isBusy}
            .columns=${s}
            .count=${o.length}
            .sort=${{id:n,ascending:r}}
            empty=${this.#e.isBusy?`…`:`No calls here.`}
            @sort=${e=>this.#n(e.detail)}
            @activate=${e=>o[e.detail]&&this.#r(o[e.detail])}
          ></mp-vtable>`:hn()}`}#i(e,t,n){let r=t.key[n];return r?e===`function`&&r.id!==null?y`${jn(this.app,r.id)} ${r.text}`:e===`bytes`&&r.id!==null?D(r.id):(e===`rank`||e===`peer`)&&r.id!==null?String(this.app.worldRank(r.id)):r.text||`none`:``}};Z([C({attribute:!1})],ya.prototype,`app`,void 0),ya=Z([S(`mp-table`)],ya);var ba=class extends x{static{this.styles=[z,o`
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
    `]}constructor(){super(),new H(this)}render(){let{app:e}=this,{finding:t,selection:n}=e.store.state,r=t===null?null:e.report?.explanation?.findings[t]??null;if(!r||t===null)return b;let i=r.proof.findIndex(t=>n!==null&&e.rankOfWorld(t.rank)===n.rank&&t.row===n.row),a=n=>{let a=i<0?0:(i+n+r.proof.length)%r.proof.length;fi(e,t,r.proof[a])};return y`<div class="bar" role="region" aria-label="Finding">
      <b title=${r.title}>${r.title}</b>
      ${r.proof.length?y`<span class="muted number">${i>=0?`place ${i+1} of ${r.proof.length}`:`${r.proof.length} places`}</span>
            <button class="line" @click=${()=>a(-1)}>Previous place</button>
            <button class="line" @click=${()=>a(1)}>Next place</button>`:b}
      <button class="line" @click=${()=>e.store.set({page:`overview`})}>All findings</button>
      <button class="line" aria-label="Close the finding" @click=${()=>e.store.set({finding:null})}>✕</button>
    </div>`}};Z([C({attribute:!1})],ba.prototype,`app`,void 0),ba=Z([S(`mp-proofs`)],ba);function xa(e,t){let n=[],{names:r,run:i}=e;if(t.functions){let e=t.functions.slice(0,3).map(e=>r?.function(e)??String(e));n.push({text:e.join(`, `)+(t.functions.length>3?` and ${t.functions.length-3} more`:``),without:{functions:null}})}t.ranks!==null&&n.push({text:`${/[-,]/.test(t.ranks)?`ranks`:`rank`} ${t.ranks}`,without:{ranks:null}}),t.host!==null&&n.push({text:`host ${i?.hosts[t.host]??t.host}`,without:{host:null}}),t.peer!==null&&n.push({text:`peer ${t.peer}`,without:{peer:null}}),t.comm!==null&&n.push({text:r?.comm(t.comm)??`communicator ${t.comm}`,without:{comm:null}}),t.site!==null&&n.push({text:r?.site(t.site)||`call site ${t.site}`,without:{site:null}}),t.region!==null&&n.push({text:`region ${r?.region(t.region)??t.region}`,without:{region:null}}),t.tag!==null&&n.push({text:`tag ${t.tag}`,without:{tag:null}}),t.thread!==null&&n.push({text:`thread ${t.thread}`,without:{thread:null}}),t.iteration!==null&&n.push({text:`iteration ${O(t.iteration)}`,without:{iteration:null}});let a=(e,t,n)=>e!==null&&e===t?n(e):[e===null?``:`from ${n(e)}`,t===null?``:`to ${n(t)}`].filter(Boolean).join(` `);return(t.bytes_min!==null||t.bytes_max!==null)&&n.push({text:a(t.bytes_min,t.bytes_max,D),without:{bytes_min:null,bytes_max:null}}),(t.duration_min!==null||t.duration_max!==null)&&n.push({text:`duration ${a(t.duration_min,t.duration_max,E)}`,without:{duration_min:null,duration_max:null}}),n}var Sa=class extends x{static{this.styles=[z,o`
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
    `]}constructor(){super(),new H(this)}render(){let{app:e}=this,{filter:t,hidden:n}=e.store.state,r=xa(e,t);return!r.length&&!n.length?b:y`${r.map(t=>y`<span class="chip" title=${t.text}
        ><span>${t.text}</span
        ><button aria-label="Take the filter away: ${t.text}" @click=${()=>e.store.set({filter:{...e.store.state.filter,...t.without}})}>✕</button></span
      >`)}
    ${n.length?y`<span class="chip"
          ><span>${n.length} hidden</span><button aria-label="Show all hidden functions" @click=${()=>e.store.set({hidden:[]})}>✕</button></span
        >`:b}
    ${r.length>1?y`<button @click=${()=>e.store.set({filter:Rt,hidden:[]})}>Take all away</button>`:b}`}};Z([C({attribute:!1})],Sa.prototype,`app`,void 0),Sa=Z([S(`mp-filters`)],Sa);var Ca={messages:`Messages`,collectives:`Collectives`,waits:`Waits`,path:`Critical path`,regions:`Regions`},wa=class extends x{static{this.styles=[z,o`
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
    `]}constructor(){super(),new H(this)}#e(e){let{order:t}=this.app.store.state;return P(P(e,`ranks`,Ft(t,`ranks`)),`pin`,Ft(t,`pin`))}render(){let{app:e}=this,t=e.store.state,n=P(P(t.order,`ranks`,null),`pin`,null),r=cn.some(e=>e.order===n),{from:i,until:a}=e.window,o=Lt.filter(t=>t!==`regions`||e.run?.regions.length);return y`<div class="bar" role="toolbar" aria-label="Timeline">
      <label
        >ranks
        <select
          aria-label="Order of ranks"
          @change=${t=>e.store.set({order:this.#e(t.target.value),row_from:null,row_until:null})}
        >
          ${cn.filter(t=>!t.order.includes(`host`)||(e.run?.hosts.length??0)>1||t.order===n).map(e=>y`<option value=${e.order} ?selected=${e.order===n}>${e.title}</option>`)}
          ${(e.run?.communicators??[]).filter(e=>e.size>1).slice(0,30).map(e=>y`<option value="group:comm:${e.id}" ?selected=${`group:comm:${e.id}`===n}>Together: ${e.name}</option>`)}
          ${r||n.startsWith(`group:comm`)?b:y`<option value=${n} selected>${n}</option>`}
        </select></label
      >
      <span class="set" role="group" aria-label="What is drawn over the timeline">
        ${o.map(n=>{let r=mn.find(e=>e.id===`layer-${n}`);return y`<button aria-pressed=${t.layers.includes(n)} title="${nn(n)} (${r.keys.map(Ot).join(`, `)})" @click=${()=>r.run(e)}>
            ${Ca[n]}
          </button>`})}
      </span>
      <button class="line" aria-pressed=${t.twins.includes(`timeline`)} @click=${()=>pn(e,`timeline`)}>As a table</button>
      ${Ft(t.order,`ranks`)===null?b:y`<button class="line" @click=${()=>mn.find(e=>e.id===`all-ranks`).run(e)}>Show all ranks</button>`}
      <mp-filters .app=${e}></mp-filters>
      <span class="space"></span>
      <span class="muted number">${j(i,(a-i)/100)} + ${E(a-i)}</span>
      <button class="line" title="From the end of MPI_Init to MPI_Finalize (9)" ?disabled=${!Kt(e)} @click=${()=>e.setWindow(Kt(e),!1)}>
        Main part
      </button>
      <button class="line" ?disabled=${t.from===null&&t.row_from===null} @click=${()=>e.setWindow(e.whole,!1)}>Whole run</button>
    </div>`}};Z([C({attribute:!1})],wa.prototype,`app`,void 0),wa=Z([S(`mp-toolbar`)],wa);var Ta=`mpiscope.split`,Ea=.2,Da=.85,Oa=class extends x{static{this.styles=[z,o`
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
    `]}#e;#t;constructor(){super(),this.split=Number(localStorage.getItem(Ta))||.55,this.tab=`call`,this.#e=``,this.#t=``,new H(this,()=>this.#n())}#n(){let{area:e,selection:t}=this.app.store.state,n=JSON.stringify(e),r=JSON.stringify(t);n!==this.#e&&e?this.tab=`area`:r!==this.#t&&t&&(this.tab=`call`),this.#e=n,this.#t=r}#r(e){this.split=Math.max(Ea,Math.min(Da,e)),localStorage.setItem(Ta,String(this.split))}#i(e){if(!e.buttons)return;let t=this.renderRoot.querySelector(`.main`).getBoundingClientRect();this.#r((e.clientY-t.top)/t.height)}#a(e){if(e.key===`ArrowUp`)this.#r(this.split-.04);else if(e.key===`ArrowDown`)this.#r(this.split+.04);else return;e.preventDefault()}updated(){this.renderRoot.querySelector(`.main`)?.style.setProperty(`--split`,`${(this.split*100).toFixed(1)}%`)}render(){let{app:e}=this;return y`<mp-toolbar .app=${e}></mp-toolbar>
      <mp-proofs .app=${e}></mp-proofs>
      <div class="area">
        <div class="main">
          <mp-timeline .app=${e}></mp-timeline>
          <div
            class="divider"
            role="separator"
            tabindex="0"
            aria-orientation="horizontal"
            aria-label="Height of the timeline"
            aria-valuenow=${Math.round(this.split*100)}
            aria-valuemin=${Ea*100}
            aria-valuemax=${Da*100}
            @pointerdown=${e=>e.currentTarget.setPointerCapture(e.pointerId)}
            @pointermove=${e=>this.#i(e)}
            @keydown=${e=>this.#a(e)}
          ></div>
          <div class="panes">${this.#s(`left`)} ${this.#s(`right`)}</div>
        </div>
        <aside class="side" aria-label="Legend and selection">
          <section class="box" aria-label="Legend">
            <div class="tabs"><h2 class="title">Legend</h2></div>
            <div class="content"><mp-legend .app=${e}></mp-legend></div>
          </section>
          <section class="box" aria-label="Selection">
            ${this.#o(`Selection`,[[`call`,`Selected call`],[`area`,`Selected area`]],this.tab,e=>this.tab=e)}
            <div class="content" role="tabpanel" aria-label=${this.tab===`call`?`Selected call`:`Selected area`}>
              ${this.tab===`call`?y`<mp-inspector .app=${e}></mp-inspector>`:y`<mp-area .app=${e}></mp-area>`}
            </div>
          </section>
        </aside>
      </div>`}#o(e,t,n,r,i=``){return y`<div class="tabs">
      <div role="tablist" aria-label=${e} @keydown=${e=>{let i=e.key===`ArrowRight`?1:e.key===`ArrowLeft`?-1:0;if(!i)return;e.preventDefault();let a=(t.findIndex(([e])=>e===n)+i+t.length)%t.length;r(t[a][0]),e.currentTarget.querySelectorAll(`[role="tab"]`)[a]?.focus()}}>
        ${t.map(([e,t])=>y`<button role="tab" aria-selected=${e===n} tabindex=${e===n?0:-1} @click=${()=>r(e)}>${t}</button>`)}
      </div>
      ${i}
    </div>`}#s(e){let{app:t}=this,n=t.store.state[e],r=e===`left`?y`<span class="space"></span>
            ${t.store.state.area?y`<span class="muted">selected area</span>`:y`<select aria-label="What the panes are about" @change=${e=>t.store.set({scope:e.target.value})}>
                  <option value="window" ?selected=${t.store.state.scope===`window`}>in sight</option>
                  <option value="run" ?selected=${t.store.state.scope===`run`}>whole run</option>
                </select>`}`:``;return y`<section class="pane ${e}" aria-label="${e===`left`?`Left`:`Right`} pane">
      ${this.#o(`${e===`left`?`Left`:`Right`} pane`,It.map(e=>[e,an(e)]),n,n=>t.store.set({[e]:n}),r)}
      <div class="content" role="tabpanel" aria-label=${an(n)}>${this.#c(n)}</div>
    </section>`}#c(e){let{app:t}=this;return e===`scatter`?y`<mp-scatter .app=${t}></mp-scatter>`:e===`histogram`?y`<mp-histogram .app=${t}></mp-histogram>`:e===`matrix`?y`<mp-matrix .app=${t}></mp-matrix>`:e===`events`?y`<mp-events .app=${t}></mp-events>`:y`<mp-table .app=${t}></mp-table>`}};Z([C({attribute:!1})],Oa.prototype,`app`,void 0),Z([w()],Oa.prototype,`split`,void 0),Z([w()],Oa.prototype,`tab`,void 0),Oa=Z([S(`mp-views`)],Oa);var ka=class extends x{static{this.styles=[z,o`
      :host {
        display: grid;
        grid-template-rows: 44px auto minmax(0, 1fr) 22px;
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
    `]}constructor(){super(),this.isStarted=!1,this.app=new Tt(new hr(new URL(`./api/`,document.baseURI).pathname),new Di(Ei)),new H(this)}connectedCallback(){if(super.connectedCallback(),this.isStarted)return;this.isStarted=!0,this.replaceChildren();let e=()=>this.app.store.restore();window.addEventListener(`popstate`,e),window.addEventListener(`hashchange`,e),Nt(this.app,mn),this.app.start()}render(){let{app:e}=this,{run:t}=e,{page:n}=e.store.state;return y`<header>
        <button class="skip" @click=${()=>this.renderRoot.querySelector(`main`)?.focus()}>To the content</button>
        <h1 title=${t?.command.join(` `)??``}>${t?.name??`mpiscope`}</h1>
        <nav aria-label="Pages">
          <button aria-current=${n===`overview`?`page`:b} @click=${()=>e.store.set({page:`overview`})}>Overview</button>
          <button aria-current=${n===`views`?`page`:b} @click=${()=>e.store.set({page:`views`})}>Timeline</button>
        </nav>
        <span class="facts number">${t?this.#e():`opening the run …`}</span>
        <button class="line wide" @click=${()=>e.open(`find`)}>Search <kbd aria-hidden="true">/</kbd></button>
        <button class="line wide" @click=${()=>e.open(`palette`)}>Commands <kbd aria-hidden="true">Ctrl+Shift+P</kbd></button>
        <button class="line" aria-label="Keys and mouse" title="Keys and mouse (?)" @click=${()=>e.open(`help`)}>?</button>
        <button class="line" @click=${()=>e.setTheme(e.theme===`dark`?`light`:`dark`)}>${e.theme===`dark`?`Light`:`Dark`}</button>
      </header>
      ${this.#t()}
      <main id="main" tabindex="-1">${this.#n()} ${e.dialog===`find`?y`<mp-find .app=${e}></mp-find>`:b}</main>
      <footer>
        <span role="status" aria-live="polite">${e.message}</span>
        <span>mpiscope</span>
      </footer>
      ${e.dialog===`palette`?y`<mp-palette .app=${e}></mp-palette>`:b} ${e.dialog===`help`?y`<mp-help .app=${e}></mp-help>`:b}`}#e(){let e=this.app.run;return[e.mpi?.split(`,`)[0],`${O(e.ranks.count)} ${e.ranks.count===1?`rank`:`ranks`}`,e.hosts.length>1?`${O(e.hosts.length)} hosts`:null,`${k(e.calls)} calls`,E(e.until_ns-e.from_ns)].filter(Boolean).join(` · `)}#t(){let{run:e}=this.app;return e?.state===`building`?y`<div class="building" role="region" aria-label="Progress">
        <progress max="1" .value=${e.done} aria-label="How much of the run is read"></progress>
        <span>The run is being read: ${Math.round(e.done*100)} %. What there is can be looked at already.</span>
      </div>`:y`<div></div>`}#n(){let{app:e}=this,{run:t}=e;return e.error?this.#i(`This run cannot be shown`,e.error.message,e.error.next):t?t.state===`failed`?this.#i(`This run cannot be shown`,t.failure?.what??`Reading it failed`,t.failure?.next??`See what mpiscope says in its terminal.`):e.store.state.page===`overview`?y`<mp-overview .app=${e}></mp-overview>`:this.#r():y`<p class="note" role="status">Opening the run …</p>`}#r(){let{run:e}=this.app;return e.state===`ready`&&e.calls===0?this.#i(`No MPI call was recorded`,`The program of this run called no MPI function that was recorded: perhaps it ended before MPI_Init, or it is linked statically.`,`mpiscope doctor PROGRAM says what would be recorded.`):y`<mp-views .app=${this.app}></mp-views>`}#i(e,t,n){return y`<section class="state" role="alert">
      <h2>${e}</h2>
      <p>${t}</p>
      <p class="muted">${n}</p>
    </section>`}};Z([w()],ka.prototype,`isStarted`,void 0),ka=Z([S(`mp-app`)],ka);
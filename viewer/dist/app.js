var e=Object.defineProperty,t=(e,t,n)=>()=>{if(n)throw n[0];try{return e&&(t=e(e=0)),t}catch(e){throw n=[e],e}},n=(t,n)=>{let r={};for(var i in t)e(r,i,{get:t[i],enumerable:!0});return n||e(r,Symbol.toStringTag,{value:`Module`}),r},r,i,a,o,s,c,l,u,d,f=t((()=>{r=globalThis,i=r.ShadowRoot&&(r.ShadyCSS===void 0||r.ShadyCSS.nativeShadow)&&`adoptedStyleSheets`in Document.prototype&&`replace`in CSSStyleSheet.prototype,a=Symbol(),o=new WeakMap,s=class{constructor(e,t,n){if(this._$cssResult$=!0,n!==a)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=t}get styleSheet(){let e=this.o,t=this.t;if(i&&e===void 0){let n=t!==void 0&&t.length===1;n&&(e=o.get(t)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),n&&o.set(t,e))}return e}toString(){return this.cssText}},c=e=>new s(typeof e==`string`?e:e+``,void 0,a),l=(e,...t)=>{let n=e.length===1?e[0]:t.reduce((t,n,r)=>t+(e=>{if(!0===e._$cssResult$)return e.cssText;if(typeof e==`number`)return e;throw Error(`Value passed to 'css' function must be a 'css' function result: `+e+`. Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.`)})(n)+e[r+1],e[0]);return new s(n,e,a)},u=(e,t)=>{if(i)e.adoptedStyleSheets=t.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let n of t){let t=document.createElement(`style`),i=r.litNonce;i!==void 0&&t.setAttribute(`nonce`,i),t.textContent=n.cssText,e.appendChild(t)}},d=i?e=>e:e=>e instanceof CSSStyleSheet?(e=>{let t=``;for(let n of e.cssRules)t+=n.cssText;return c(t)})(e):e})),p,m,h,g,_,v,y,b,ee,te,ne,re,ie,ae,oe,se=t((()=>{f(),{is:p,defineProperty:m,getOwnPropertyDescriptor:h,getOwnPropertyNames:g,getOwnPropertySymbols:_,getPrototypeOf:v}=Object,y=globalThis,b=y.trustedTypes,ee=b?b.emptyScript:``,te=y.reactiveElementPolyfillSupport,ne=(e,t)=>e,re={toAttribute(e,t){switch(t){case Boolean:e=e?ee:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},ie=(e,t)=>!p(e,t),ae={attribute:!0,type:String,converter:re,reflect:!1,useDefault:!1,hasChanged:ie},Symbol.metadata??=Symbol(`metadata`),y.litPropertyMetadata??=new WeakMap,oe=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,t=ae){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((t=Object.create(t)).wrapped=!0),this.elementProperties.set(e,t),!t.noAccessor){let n=Symbol(),r=this.getPropertyDescriptor(e,n,t);r!==void 0&&m(this.prototype,e,r)}}static getPropertyDescriptor(e,t,n){let{get:r,set:i}=h(this.prototype,e)??{get(){return this[t]},set(e){this[t]=e}};return{get:r,set(t){let a=r?.call(this);i?.call(this,t),this.requestUpdate(e,a,n)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??ae}static _$Ei(){if(this.hasOwnProperty(ne(`elementProperties`)))return;let e=v(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(ne(`finalized`)))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(ne(`properties`))){let e=this.properties,t=[...g(e),..._(e)];for(let n of t)this.createProperty(n,e[n])}let e=this[Symbol.metadata];if(e!==null){let t=litPropertyMetadata.get(e);if(t!==void 0)for(let[e,n]of t)this.elementProperties.set(e,n)}this._$Eh=new Map;for(let[e,t]of this.elementProperties){let n=this._$Eu(e,t);n!==void 0&&this._$Eh.set(n,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let t=[];if(Array.isArray(e)){let n=new Set(e.flat(1/0).reverse());for(let e of n)t.unshift(d(e))}else e!==void 0&&t.push(d(e));return t}static _$Eu(e,t){let n=t.attribute;return!1===n?void 0:typeof n==`string`?n:typeof e==`string`?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,t=this.constructor.elementProperties;for(let n of t.keys())this.hasOwnProperty(n)&&(e.set(n,this[n]),delete this[n]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return u(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,t,n){this._$AK(e,n)}_$ET(e,t){let n=this.constructor.elementProperties.get(e),r=this.constructor._$Eu(e,n);if(r!==void 0&&!0===n.reflect){let i=(n.converter?.toAttribute===void 0?re:n.converter).toAttribute(t,n.type);this._$Em=e,i==null?this.removeAttribute(r):this.setAttribute(r,i),this._$Em=null}}_$AK(e,t){let n=this.constructor,r=n._$Eh.get(e);if(r!==void 0&&this._$Em!==r){let e=n.getPropertyOptions(r),i=typeof e.converter==`function`?{fromAttribute:e.converter}:e.converter?.fromAttribute===void 0?re:e.converter;this._$Em=r;let a=i.fromAttribute(t,e.type);this[r]=a??this._$Ej?.get(r)??a,this._$Em=null}}requestUpdate(e,t,n,r=!1,i){if(e!==void 0){let a=this.constructor;if(!1===r&&(i=this[e]),n??=a.getPropertyOptions(e),!((n.hasChanged??ie)(i,t)||n.useDefault&&n.reflect&&i===this._$Ej?.get(e)&&!this.hasAttribute(a._$Eu(e,n))))return;this.C(e,t,n)}!1===this.isUpdatePending&&(this._$ES=this._$EP())}C(e,t,{useDefault:n,reflect:r,wrapped:i},a){n&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,a??t??this[e]),!0!==i||a!==void 0)||(this._$AL.has(e)||(this.hasUpdated||n||(t=void 0),this._$AL.set(e,t)),!0===r&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[e,t]of this._$Ep)this[e]=t;this._$Ep=void 0}let e=this.constructor.elementProperties;if(e.size>0)for(let[t,n]of e){let{wrapped:e}=n,r=this[t];!0!==e||this._$AL.has(t)||r===void 0||this.C(t,void 0,n,r)}}let e=!1,t=this._$AL;try{e=this.shouldUpdate(t),e?(this.willUpdate(t),this._$EO?.forEach(e=>e.hostUpdate?.()),this.update(t)):this._$EM()}catch(t){throw e=!1,this._$EM(),t}e&&this._$AE(t)}willUpdate(e){}_$AE(e){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(e){}firstUpdated(e){}},oe.elementStyles=[],oe.shadowRootOptions={mode:`open`},oe[ne(`elementProperties`)]=new Map,oe[ne(`finalized`)]=new Map,te?.({ReactiveElement:oe}),(y.reactiveElementVersions??=[]).push(`2.1.2`)}));function ce(e,t){if(!xe(e)||!e.hasOwnProperty(`raw`))throw Error(`invalid template strings array`);return pe===void 0?t:pe.createHTML(t)}function le(e,t,n=e,r){if(t===Ne)return t;let i=r===void 0?n._$Cl:n._$Co?.[r],a=be(t)?void 0:t._$litDirective$;return i?.constructor!==a&&(i?._$AO?.(!1),a===void 0?i=void 0:(i=new a(e),i._$AT(e,n,r)),r===void 0?n._$Cl=i:(n._$Co??=[])[r]=i),i!==void 0&&(t=le(e,i._$AS(e,t.values),i,r)),t}var ue,de,fe,pe,me,he,ge,_e,ve,ye,be,xe,Se,Ce,we,Te,Ee,De,Oe,ke,Ae,je,x,Me,Ne,S,Pe,Fe,Ie,Le,Re,ze,Be,Ve,He,Ue,We,Ge,Ke,qe,Je=t((()=>{ue=globalThis,de=e=>e,fe=ue.trustedTypes,pe=fe?fe.createPolicy(`lit-html`,{createHTML:e=>e}):void 0,me=`$lit$`,he=`lit$${Math.random().toFixed(9).slice(2)}$`,ge=`?`+he,_e=`<${ge}>`,ve=document,ye=()=>ve.createComment(``),be=e=>e===null||typeof e!=`object`&&typeof e!=`function`,xe=Array.isArray,Se=e=>xe(e)||typeof e?.[Symbol.iterator]==`function`,Ce=`[ 	
\f\r]`,we=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Te=/-->/g,Ee=/>/g,De=RegExp(`>|${Ce}(?:([^\\s"'>=/]+)(${Ce}*=${Ce}*(?:[^ \t\n\f\r"'\`<>=]|("|')|))|$)`,`g`),Oe=/'/g,ke=/"/g,Ae=/^(?:script|style|textarea|title)$/i,je=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),x=je(1),Me=je(2),je(3),Ne=Symbol.for(`lit-noChange`),S=Symbol.for(`lit-nothing`),Pe=new WeakMap,Fe=ve.createTreeWalker(ve,129),Ie=(e,t)=>{let n=e.length-1,r=[],i,a=t===2?`<svg>`:t===3?`<math>`:``,o=we;for(let t=0;t<n;t++){let n=e[t],s,c,l=-1,u=0;for(;u<n.length&&(o.lastIndex=u,c=o.exec(n),c!==null);)u=o.lastIndex,o===we?c[1]===`!--`?o=Te:c[1]===void 0?c[2]===void 0?c[3]!==void 0&&(o=De):(Ae.test(c[2])&&(i=RegExp(`</`+c[2],`g`)),o=De):o=Ee:o===De?c[0]===`>`?(o=i??we,l=-1):c[1]===void 0?l=-2:(l=o.lastIndex-c[2].length,s=c[1],o=c[3]===void 0?De:c[3]===`"`?ke:Oe):o===ke||o===Oe?o=De:o===Te||o===Ee?o=we:(o=De,i=void 0);let d=o===De&&e[t+1].startsWith(`/>`)?` `:``;a+=o===we?n+_e:l>=0?(r.push(s),n.slice(0,l)+me+n.slice(l)+he+d):n+he+(l===-2?t:d)}return[ce(e,a+(e[n]||`<?>`)+(t===2?`</svg>`:t===3?`</math>`:``)),r]},Le=class e{constructor({strings:t,_$litType$:n},r){let i;this.parts=[];let a=0,o=0,s=t.length-1,c=this.parts,[l,u]=Ie(t,n);if(this.el=e.createElement(l,r),Fe.currentNode=this.el.content,n===2||n===3){let e=this.el.content.firstChild;e.replaceWith(...e.childNodes)}for(;(i=Fe.nextNode())!==null&&c.length<s;){if(i.nodeType===1){if(i.hasAttributes())for(let e of i.getAttributeNames())if(e.endsWith(me)){let t=u[o++],n=i.getAttribute(e).split(he),r=/([.?@])?(.*)/.exec(t);c.push({type:1,index:a,name:r[2],strings:n,ctor:r[1]===`.`?Ve:r[1]===`?`?He:r[1]===`@`?Ue:Be}),i.removeAttribute(e)}else e.startsWith(he)&&(c.push({type:6,index:a}),i.removeAttribute(e));if(Ae.test(i.tagName)){let e=i.textContent.split(he),t=e.length-1;if(t>0){i.textContent=fe?fe.emptyScript:``;for(let n=0;n<t;n++)i.append(e[n],ye()),Fe.nextNode(),c.push({type:2,index:++a});i.append(e[t],ye())}}}else if(i.nodeType===8){if(i.data===ge)c.push({type:2,index:a});else{let e=-1;for(;(e=i.data.indexOf(he,e+1))!==-1;)c.push({type:7,index:a}),e+=he.length-1}}a++}}static createElement(e,t){let n=ve.createElement(`template`);return n.innerHTML=e,n}},Re=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:n}=this._$AD,r=(e?.creationScope??ve).importNode(t,!0);Fe.currentNode=r;let i=Fe.nextNode(),a=0,o=0,s=n[0];for(;s!==void 0;){if(a===s.index){let t;s.type===2?t=new ze(i,i.nextSibling,this,e):s.type===1?t=new s.ctor(i,s.name,s.strings,this,e):s.type===6&&(t=new We(i,this,e)),this._$AV.push(t),s=n[++o]}a!==s?.index&&(i=Fe.nextNode(),a++)}return Fe.currentNode=ve,r}p(e){let t=0;for(let n of this._$AV)n!==void 0&&(n.strings===void 0?n._$AI(e[t]):(n._$AI(e,n,t),t+=n.strings.length-2)),t++}},ze=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,n,r){this.type=2,this._$AH=S,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=n,this.options=r,this._$Cv=r?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=le(this,e,t),be(e)?e===S||e==null||e===``?(this._$AH!==S&&this._$AR(),this._$AH=S):e!==this._$AH&&e!==Ne&&this._(e):e._$litType$===void 0?e.nodeType===void 0?Se(e)?this.k(e):this._(e):this.T(e):this.$(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==S&&be(this._$AH)?this._$AA.nextSibling.data=e:this.T(ve.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:n}=e,r=typeof n==`number`?this._$AC(e):(n.el===void 0&&(n.el=Le.createElement(ce(n.h,n.h[0]),this.options)),n);if(this._$AH?._$AD===r)this._$AH.p(t);else{let e=new Re(r,this),n=e.u(this.options);e.p(t),this.T(n),this._$AH=e}}_$AC(e){let t=Pe.get(e.strings);return t===void 0&&Pe.set(e.strings,t=new Le(e)),t}k(t){xe(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,i=0;for(let a of t)i===n.length?n.push(r=new e(this.O(ye()),this.O(ye()),this,this.options)):r=n[i],r._$AI(a),i++;i<n.length&&(this._$AR(r&&r._$AB.nextSibling,i),n.length=i)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let t=de(e).nextSibling;de(e).remove(),e=t}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},Be=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,n,r,i){this.type=1,this._$AH=S,this._$AN=void 0,this.element=e,this.name=t,this._$AM=r,this.options=i,n.length>2||n[0]!==``||n[1]!==``?(this._$AH=Array(n.length-1).fill(new String),this.strings=n):this._$AH=S}_$AI(e,t=this,n,r){let i=this.strings,a=!1;if(i===void 0)e=le(this,e,t,0),a=!be(e)||e!==this._$AH&&e!==Ne,a&&(this._$AH=e);else{let r=e,o,s;for(e=i[0],o=0;o<i.length-1;o++)s=le(this,r[n+o],t,o),s===Ne&&(s=this._$AH[o]),a||=!be(s)||s!==this._$AH[o],s===S?e=S:e!==S&&(e+=(s??``)+i[o+1]),this._$AH[o]=s}a&&!r&&this.j(e)}j(e){e===S?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??``)}},Ve=class extends Be{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===S?void 0:e}},He=class extends Be{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==S)}},Ue=class extends Be{constructor(e,t,n,r,i){super(e,t,n,r,i),this.type=5}_$AI(e,t=this){if((e=le(this,e,t,0)??S)===Ne)return;let n=this._$AH,r=e===S&&n!==S||e.capture!==n.capture||e.once!==n.once||e.passive!==n.passive,i=e!==S&&(n===S||r);r&&this.element.removeEventListener(this.name,this,n),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH==`function`?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},We=class{constructor(e,t,n){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=n}get _$AU(){return this._$AM._$AU}_$AI(e){le(this,e)}},Ge={M:me,P:he,A:ge,C:1,L:Ie,R:Re,D:Se,V:le,I:ze,H:Be,N:He,U:Ue,B:Ve,F:We},Ke=ue.litHtmlPolyfillSupport,Ke?.(Le,ze),(ue.litHtmlVersions??=[]).push(`3.3.3`),qe=(e,t,n)=>{let r=n?.renderBefore??t,i=r._$litPart$;if(i===void 0){let e=n?.renderBefore??null;r._$litPart$=i=new ze(t.insertBefore(ye(),e),e,void 0,n??{})}return i._$AI(e),i}})),Ye,C,Xe,Ze=t((()=>{se(),se(),Je(),Je(),Ye=globalThis,C=class extends oe{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=qe(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return Ne}},C._$litElement$=!0,C.finalized=!0,Ye.litElementHydrateSupport?.({LitElement:C}),Xe=Ye.litElementPolyfillSupport,Xe?.({LitElement:C}),(Ye.litElementVersions??=[]).push(`4.2.2`)})),Qe=t((()=>{})),w=t((()=>{se(),Je(),Ze(),Qe()})),T,$e=t((()=>{T=e=>(t,n)=>{n===void 0?customElements.define(e,t):n.addInitializer(()=>{customElements.define(e,t)})}}));function E(e){return(t,n)=>typeof n==`object`?tt(e,t,n):((e,t,n)=>{let r=t.hasOwnProperty(n);return t.constructor.createProperty(n,e),r?Object.getOwnPropertyDescriptor(t,n):void 0})(e,t,n)}var et,tt,nt=t((()=>{se(),et={attribute:!0,type:String,converter:re,reflect:!1,hasChanged:ie},tt=(e=et,t,n)=>{let{kind:r,metadata:i}=n,a=globalThis.litPropertyMetadata.get(i);if(a===void 0&&globalThis.litPropertyMetadata.set(i,a=new Map),r===`setter`&&((e=Object.create(e)).wrapped=!0),a.set(n.name,e),r===`accessor`){let{name:r}=n;return{set(n){let i=t.get.call(this);t.set.call(this,n),this.requestUpdate(r,i,e,!0,n)},init(t){return t!==void 0&&this.C(r,void 0,e,t),t}}}if(r===`setter`){let{name:r}=n;return function(n){let i=this[r];t.call(this,n),this.requestUpdate(r,i,e,!0,n)}}throw Error(`Unsupported decorator location: `+r)}}));function D(e){return E({...e,state:!0,attribute:!1})}var rt=t((()=>{nt()})),it=t((()=>{})),at=t((()=>{})),ot=t((()=>{})),st=t((()=>{})),ct=t((()=>{})),lt=t((()=>{})),O=t((()=>{$e(),nt(),rt(),it(),at(),ot(),st(),ct(),lt()}));w(),O();var ut={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},dt=e=>(...t)=>({_$litDirective$:e,values:t}),ft=class{constructor(e){}get _$AU(){return this._$AM._$AU}_$AT(e,t,n){this._$Ct=e,this._$AM=t,this._$Ci=n}_$AS(e,t){return this.update(e,t)}update(e,t){return this.render(...t)}};Je();var{I:pt}=Ge,mt=e=>e,ht=()=>document.createComment(``),gt=(e,t,n)=>{let r=e._$AA.parentNode,i=t===void 0?e._$AB:t._$AA;if(n===void 0)n=new pt(r.insertBefore(ht(),i),r.insertBefore(ht(),i),e,e.options);else{let t=n._$AB.nextSibling,a=n._$AM,o=a!==e;if(o){let t;n._$AQ?.(e),n._$AM=e,n._$AP!==void 0&&(t=e._$AU)!==a._$AU&&n._$AP(t)}if(t!==i||o){let e=n._$AA;for(;e!==t;){let t=mt(e).nextSibling;mt(r).insertBefore(e,i),e=t}}}return n},_t=(e,t,n=e)=>(e._$AI(t,n),e),vt={},yt=(e,t=vt)=>e._$AH=t,bt=e=>e._$AH,xt=e=>{e._$AR(),e._$AA.remove()};Je();var St=dt(class extends ft{constructor(){super(...arguments),this.key=S}render(e,t){return this.key=e,t}update(e,[t,n]){return t!==this.key&&(yt(e),this.key=t),n}});function Ct(e){return e instanceof DOMException&&e.name===`AbortError`}function wt(e){return e instanceof Tt?e:e instanceof TypeError?new Tt(0,`mpiscope does not answer`,"Check in the terminal whether `mpiscope view` is still running. If it has ended, start it again and open the address that it prints."):new Tt(0,e instanceof Error?e.message:String(e),`Reload this page.`)}var Tt,Et=t((()=>{Tt=class extends Error{constructor(e,t,n){super(t),this.status=e,this.next=n}}})),Dt,Ot=t((()=>{Dt=class{#e=null;get isBusy(){return this.#e!==null}async run(e){this.#e?.abort();let t=new AbortController;this.#e=t;try{let n=await e(t.signal);return t.signal.aborted?void 0:n}catch(e){if(t.signal.aborted)return;throw e}finally{this.#e===t&&(this.#e=null)}}cancel(){this.#e?.abort(),this.#e=null}}})),kt,At=t((()=>{kt=class{#e=Promise.resolve();#t=new AbortController;#n=0;get isBusy(){return this.#n>0}get waiting(){return this.#n}add(e){let{signal:t}=this.#t;return this.#n++,this.#e=this.#e.then(async()=>{try{t.aborted||await e(t)}finally{this.#n--}}),this.#e}clear(){this.#t.abort(),this.#t=new AbortController}}}));Et(),Ot(),At();var jt=class{#e;#t;#n;#r;constructor(e){this.#e=new Map(e.functions.map(e=>[e.id,e])),this.#t=new Map(e.communicators.map(e=>[e.id,e.name])),this.#n=new Map(e.sites.map(e=>[e.id,e.text])),this.#r=new Map(e.regions.map(e=>[e.id,e.name]))}function(e){return this.#e.get(e)?.name??`function ${e}`}short(e){return this.function(e).replace(/^MPI_/,``)}functionId(e){for(let[t,n]of this.#e)if(n.name===e)return t;return null}comm(e){return e===null||e<0?``:this.#t.get(e)??`communicator ${e}`}site(e){return e===null||e<0?``:this.#n.get(e)??``}region(e){return e===null||e<0?``:this.#r.get(e)??`region ${e}`}},Mt,Nt,Pt,Ft,It=t((()=>{Mt={notes:500,title:200,text:4e3,view:4e3},Nt=5,Pt=409,Ft=class{#e;#t;#n;#r;constructor(e,t){this.notes=[],this.problem=null,this.#n=new kt,this.#r=null,this.#o=[],this.#e=e,this.#t=t}get isLocal(){return this.#e.isExported||this.problem!==null}load(){return this.#n.add(async()=>{try{this.#s(await this.#e.notes())}catch(e){this.problem=wt(e)}this.#t()})}put(e){return this.#i(t=>t.some(t=>t.id===e.id)?t.map(t=>t.id===e.id?e:t):[...t,e].slice(0,Mt.notes))}remove(e){return this.#i(t=>t.filter(t=>t.id!==e))}#i(e){return this.notes=e(this.notes),this.#t(),this.#e.isExported?Promise.resolve():this.#n.add(async()=>{try{await this.#a(e),this.problem=null}catch(e){this.problem=wt(e)}this.#t()})}async#a(e){for(let t=Nt;;t--)try{let t=this.problem?this.notes:e(this.#o);this.#s(await this.#e.keepNotes({revision:this.#r??``,notes:t}));return}catch(e){if(wt(e).status!==Pt||t===0)throw e;let n=await this.#e.notes();this.#r=n.revision,this.#o=n.notes,this.problem=null}}#o;#s({revision:e,notes:t}){this.#r=e,this.#o=t,this.#n.waiting<=1&&(this.notes=t)}}}));function Lt(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}function Rt(e,t,n){let r=0,i=e;for(;Math.abs(i)>=t-.5&&r<n.length-1;)i/=t,r++;return`${r===0&&Number.isInteger(i)?String(i):Lt(i)} ${n[r]}`}function k(e){return Number.isFinite(e)?e===0?`0 s`:Rt(e,1e3,[`ns`,`µs`,`ms`,`s`]):`–`}function zt(e){if(!Number.isFinite(e))return`–`;let t=[1e9,1e6,1e3].find(t=>Math.abs(e)>=t)??1,n={1:`ns`,1e3:`µs`,1e6:`ms`,1e9:`s`}[t],r=Math.trunc(e/t),i=Math.round(Math.abs(e)%t).toString().padStart(Math.log10(t),`0`);return t===1?`${Math.round(e)} ns`:`${j(r)}.${i.match(/\d{3}/g).join(` `)} ${n}`}function A(e){return Number.isFinite(e)?Rt(e,1024,[`B`,`KiB`,`MiB`,`GiB`,`TiB`]):`–`}function Bt(e){return Number.isFinite(e)?`${A(e)}/s`:`–`}function j(e){return Number.isFinite(e)?Math.round(e).toString().replace(/\B(?=(\d{3})+(?!\d))/g,`,`):`–`}function M(e,t,n=`${t}s`,r=j){return`${r(e)} ${e===1?t:n}`}function Vt({min:e,max:t},n){return n(e.value)===n(t.value)?``:`(${n(e.value)} on rank ${e.rank} to ${n(t.value)} on rank ${t.rank})`}function Ht(e){return Number.isFinite(e)?Math.abs(e)<1e4?j(e):Rt(e,1e3,[``,`k`,`M`,`G`,`T`]):`–`}function N(e){if(!Number.isFinite(e))return`–`;let t=e*100;return t!==0&&Math.abs(t)<.1?`< 0.1 %`:`${t.toFixed(1)} %`}function Ut(e){return Number.isFinite(e)?`${e<.01?(100*e).toPrecision(1):Math.floor(100*e+1e-9)} %`:`–`}function Wt(e){return`${(e*100).toFixed(1)} points`}function Gt(e){return`× ${e<.1?e.toFixed(Zt):e>=100?j(e):Lt(e)}`}function Kt(e){return Number.isFinite(e)?Number.isInteger(e)?j(e):Lt(e):`–`}function qt(e,t){return t===`ns`?k(e):t===`bytes`?A(e):t===`bytes/ns`?Bt(e*1e9):t?`${Kt(e)} ${t}`:Kt(e)}function P(e,t){if(!Number.isFinite(e))return`–`;let n=Math.min(9,Math.max(0,Math.ceil(9-Math.log10(Math.max(1,t))-1e-9))),r=e<0?`−`:``,i=Math.round(Math.abs(e)/10**(9-n)).toString().padStart(n+1,`0`),a=i.slice(0,i.length-n),o=n?i.slice(i.length-n).match(/\d{1,3}/g)??[]:[];return`${r}${a}${n?`.${o.join(` `)}`:``} s`}function Jt(e){let t=[...new Set(e)].sort((e,t)=>e-t),n=[];for(let e=0;e<t.length;){let r=e;for(;r+1<t.length&&t[r+1]===t[r]+1;)r++;n.push(r===e?`${t[e]}`:`${t[e]}-${t[r]}`),e=r+1}return n.join(`,`)}function Yt(e){return`${e.length===1?`rank`:`ranks`} ${Jt(e)}`}function Xt(e,t){let n=new Set;for(let r of e.split(`,`).map(e=>e.trim()).filter(Boolean)){let e=/^(\d+)(?:\s*-\s*(\d+))?$/.exec(r);if(!e)return null;let i=Number(e[1]),a=Math.min(Number(e[2]??e[1]),t-1);for(let e=i;e<=a;e++)n.add(e)}return[...n].sort((e,t)=>e-t)}var Zt,F=t((()=>{Zt=3})),Qt,$t,en=t((()=>{Qt=65535,$t=[`ranks_waiting`,`ranks_in_mpi`,`calls_per_s`,`sent_bytes_per_s`,`messages_in_flight`,`bytes_in_flight`]}));function tn(e,t){let n=e.split(`~`);if(n.length!==t)return null;let r=n.map(e=>e===``?null:Number(e));return r.every(e=>e===null||Number.isFinite(e))?r:null}var nn,rn,an=t((()=>{nn=e=>e.map(e=>e===null?``:String(e)).join(`~`),rn=e=>typeof e==`number`&&Number.isInteger(e)&&e>=0})),on,sn,cn,ln,un,dn,fn,pn,mn,hn,gn,_n=t((()=>{en(),an(),on=(e,t)=>({initial:e,write:({by:e,sort:t,ascending:n})=>`${e}~${t}~${+!!n}`,read:e=>{let[n=``,r=``,i,...a]=e.split(`~`);return i!==void 0&&!a.length&&t.test(n)&&/^[a-z0-9_]+$/.test(r)?{by:n,sort:r,ascending:i===`1`}:null}}),sn=on({by:`function`,sort:`total_ns`,ascending:!1},/^[a-z_]+(,[a-z_]+)?$/),cn=on({by:`function`,sort:`difference`,ascending:!1},/^[a-z_]+$/),ln=e=>e===`messages`?`~messages`:``,un=e=>e===void 0||e===`messages`,dn={initial:{x:`end`,y:`duration`,x_log:!1,y_log:!0,of:`calls`,x_min:null,x_max:null,y_min:null,y_max:null},write:e=>`${e.x}~${e.y}~${+!!e.x_log}~${+!!e.y_log}~${nn([e.x_min,e.x_max,e.y_min,e.y_max])}${ln(e.of)}`,read:e=>{let t=e.split(`~`),n=tn(t.slice(4,8).join(`~`),4);if(t.length>9||!n||!un(t[8]))return null;let[r,i,a,o]=n;return{x:t[0],y:t[1],x_log:t[2]===`1`,y_log:t[3]===`1`,of:t[8]??`calls`,x_min:r,x_max:i,y_min:a,y_max:o}}},fn={initial:{field:`duration`,is_log:!0,of:`calls`},write:e=>`${e.field}~${+!!e.is_log}${ln(e.of)}`,read:e=>{let[t=``,n,r,...i]=e.split(`~`);return n!==void 0&&!i.length&&un(r)?{field:t,is_log:n===`1`,of:r??`calls`}:null}},pn=[`count`,`bytes`,`mean`,`latency`,`longest`],mn={initial:{by:`rank`,value:`bytes`,comm:null},write:e=>`${e.by}~${e.value}~${e.comm??``}`,read:e=>{let[t,n,r,...i]=e.split(`~`),a=pn.find(e=>e===n);return!a||r===void 0||i.length||!rn(Number(r))?null:{by:t===`host`?`host`:`rank`,value:a,comm:r?Number(r):null}}},hn={initial:{field:`ranks_waiting`,by_host:!1},write:e=>`${e.field}~${+!!e.by_host}`,read:e=>{let[t,n,...r]=e.split(`~`),i=$t.find(e=>e===t);return i&&n!==void 0&&!r.length?{field:i,by_host:n===`1`}:null}},gn={initial:{zoom:``,by_rank:!1},write:e=>`${e.zoom}~${+!!e.by_rank}`,read:e=>{let[,t,n]=/^([a-z0-9]{0,7})~([01])$/.exec(e)??[];return t===void 0?null:{zoom:t,by_rank:n===`1`}}}})),vn,yn,bn,xn,Sn,Cn,wn=t((()=>{vn=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),yn=function(e,t){return new URL(e,t).href},bn={},xn=function(e){return e.pathname.endsWith(`.css`)},Sn=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},Cn=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=yn(t,n);let r=s(t),i=xn(r);return Sn(bn,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:vn,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})}})),Tn,En,Dn,On=t((()=>{Et(),Tn=120,En=400,Dn=class{#e;#t;#n;#r;constructor(e){this.value=null,this.done=null,this.error=null,this.isBusy=!1,this.#t=new Dt,this.#n=``,this.#r=null,this.#e=e,e.addController({hostConnected:()=>{},hostDisconnected:()=>{this.#r!==null&&clearTimeout(this.#r),this.#t.cancel(),this.#n=``}})}update(e,t,n=null){let r=JSON.stringify(e);if(r===this.#n)return;let i=this.#n===``;this.#n=r,this.#r!==null&&clearTimeout(this.#r),this.isBusy=!0,this.#r=setTimeout(()=>{this.#r=null,this.#i(t,n)},i?0:Tn)}async#i(e,t){this.done=null;try{let n=await this.#t.run(async n=>{let r=await e(n);return n.aborted||!t?.isSample(r)?r:(this.value=r,this.error=null,this.done=0,this.#e.requestUpdate(),this.#a(t,n))});if(n===void 0)return;this.value=n,this.error=null}catch(e){if(Ct(e))return;this.error=wt(e),this.value=null}this.isBusy=this.#t.isBusy,this.done=null,this.#e.requestUpdate()}async#a(e,t){let n=!1;(async()=>{for(;!n&&!t.aborted;){await new Promise(e=>setTimeout(e,En));let r=n?null:await e.done(t).catch(()=>null);n||t.aborted||r===null||(this.done=r,this.#e.requestUpdate())}})();try{return await e.exact(t)}finally{n=!0}}}}));function kn(e,t,n=`calls`){return!e||e.kind===`calls`?``:e.kind===`sample`?` · sample of ${Ut(e.share)} of the ${n}${t===null?``:`; reading all: ${Ut(t)}`}`:` · from bins of ${[e.bin_ns>0?k(e.bin_ns):``,e.share>0?N(e.share):``].filter(Boolean).join(` and `)}`}function An(e,t,n){let r=`${Mn}-${jn++}`;return[e=>n({...t,quick:!0},e),{isSample:e=>e.basis?.kind===`sample`,exact:e=>n({...t,ask:r},e),done:t=>e.client.working(r,t)}]}var jn,Mn,Nn=t((()=>{F(),jn=0,Mn=Math.random().toString(36).slice(2,8)}));function Pn(e){return e.status===409?Fn():x`<div class="error" role="alert"><b>${In(e.message)}</b><br />${e.next}</div>`}function Fn(){return x`<p class="note">This is available once the run is loaded.</p>`}var In,Ln=t((()=>{In=e=>{let t=e.charAt(0).toUpperCase()+e.slice(1);return/[.!?]$/.test(t)?t:`${t}.`}})),Rn,zn,Bn,Vn,Hn,Un,Wn,Gn,Kn,qn=t((()=>{Rn={send:{light:`#3182b3`,dark:`#579bd0`},receive:{light:`#45b7b4`,dark:`#60dada`},completion:{light:`#d19b09`,dark:`#e6a118`},probe:{light:`#b8a000`,dark:`#d3c64a`},barrier:{light:`#b0140f`,dark:`#b61e02`},collective:{light:`#7f1f5d`,dark:`#814371`},rma:{light:`#593bab`,dark:`#6c58c9`},file:{light:`#9a7e5f`,dark:`#a5856b`},objects:{light:`#9bda8f`,dark:`#d9ea74`},setup:{light:`#6d7684`,dark:`#5d687b`},local:{light:`#9aa4b2`,dark:`#75808f`}},zn=[`send`,`receive`,`completion`,`barrier`,`collective`,`rma`,`objects`,`file`],Bn={light:`#8d95a1`,dark:`#6d7887`,part:.5},Vn={light:`#e7eaef`,dark:`#262e39`},Hn={light:`#2a1a00`,dark:`#07090c`},Un={light:`#f5f6f8`,dark:`#11151b`},Wn=[0,-.28,.3,-.14,.16],Gn={light:{text:`#1a1f27`,muted:`#586172`,line:`#d5d9e0`,faint:`#eceef2`,panel:`#ffffff`,background:`#f5f6f8`,compute:`#e7eaef`,accent:`#1257b8`,shade:`rgba(70, 80, 100, 0.28)`,selection:`#111111`,arrow:`rgba(20, 24, 32, 0.5)`,collective:`rgba(150, 40, 110, 0.55)`,rma:`rgba(58, 26, 150, 0.85)`,bundle:`rgb(20, 24, 32)`,path:`#c2101c`,absent:`#c9ced6`,phases:[`#dfe4ec`,`#ccd3de`]},dark:{text:`#e3e8ef`,muted:`#9ca8b9`,line:`#2e3744`,faint:`#1e242d`,panel:`#181d25`,background:`#11151b`,compute:`#262e39`,accent:`#7db5ff`,shade:`rgba(0, 0, 0, 0.5)`,selection:`#ffffff`,arrow:`rgba(245, 248, 252, 0.55)`,collective:`rgba(240, 160, 215, 0.55)`,rma:`rgba(190, 175, 255, 0.9)`,bundle:`rgb(245, 248, 252)`,path:`#ff6b6b`,absent:`#3a4453`,phases:[`#2a323e`,`#353f4d`]}},Kn={classes:Rn,distinct:zn,rest:Bn,compute:Vn,hatch:Hn,absent:Un,steps:Wn,ink:Gn}}));function Jn(e,t,n){let r=(e,t)=>Math.round(e+(t-e)*n);return r(sr(e),sr(t))<<16|r(cr(e),cr(t))<<8|r(lr(e),lr(t))}function I(e){return`#${e.toString(16).padStart(6,`0`)}`}function Yn(e){return(255<<24|lr(e)<<16|cr(e)<<8|sr(e))>>>0}function Xn(e,t,n){let r=1-n,i=(e&255)*r+(t&255)*n,a=(e>>>8&255)*r+(t>>>8&255)*n;return(255<<24|(e>>>16&255)*r+(t>>>16&255)*n+.5<<16|a+.5<<8|i+.5)>>>0}function Zn(e,t){return(rr[e]??ir)[t]}function Qn(e,t,n){let{part:r,...i}=Kn.rest,a=Jn(Zn(t,n),tr(i[n]),r),o=Math.imul(e,2654435761)>>>29,s=dr[o<dr.length?o:e%dr.length]??0;return s<0?Jn(a,0,-s):Jn(a,16777215,s)}function $n(e){let t=e=>e/255<=.04045?e/255/12.92:((e/255+.055)/1.055)**2.4;return .2126*t(sr(e))+.7152*t(cr(e))+.0722*t(lr(e))>.179?`#000000`:`#ffffff`}function er(e,t){let n=t===`light`?[15133941,11125728,6131652,2775708,730196]:[2042943,2576511,4162488,9092829,15923160],r=Math.max(0,Math.min(1,e))*(n.length-1),i=Math.min(n.length-2,Math.floor(r));return Jn(n[i],n[i+1],r-i)}var tr,nr,rr,ir,ar,or,sr,cr,lr,ur,dr,fr=t((()=>{qn(),tr=e=>Number.parseInt(e.slice(1),16),nr=e=>({light:tr(e.light),dark:tr(e.dark)}),rr=Object.fromEntries(Object.entries(Kn.classes).map(([e,t])=>[e,nr(t)])),ir=rr.local,ar=nr(Kn.compute),or=nr(Kn.hatch),nr(Kn.absent),sr=e=>e>>16&255,cr=e=>e>>8&255,lr=e=>e&255,ur=Kn.distinct,dr=Kn.steps}));function pr(e,t){return mr(I(e.colours.function(t)))}function mr(e,t=!1){return x`<svg width="11" height="11" viewBox="0 0 11 11" aria-hidden="true" class="swatch">
    <rect width="11" height="11" rx="2" fill=${e}></rect>
    ${t?Me`<path d="M0 5L5 0M0 11L11 0M5 11L11 5" stroke="#000" stroke-opacity=".6" stroke-width="1.4"></path>`:``}
  </svg>`}var hr=t((()=>{w(),fr()})),L,gr,_r,vr,yr,br,R=t((()=>{w(),L=l`
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
`,gr=l`
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
`,_r=l`
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
`,vr=l`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
  mp-vtable {
    flex: 1;
  }
`,yr=l`
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
`,br=l`
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
`})),z,xr,B,V=t((()=>{qn(),z=Kn.ink,xr=`11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`,B=`10px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`}));function Sr(e,t,n){let r=new Map,i=(e,t,n)=>{let i=r.get(t.colour)??[];i.length||r.set(t.colour,i),i.push(`M${e} ${t.top}h${t.until-e}v${n-t.top}H${e}z`)},a=new Map;for(let r=0;r<=n;r++){let o=new Map;for(let i=0;r<n&&i<t;){let n=Cr(e,r*t+i),s=i+1;for(;s<t&&Cr(e,r*t+s)===n;)s++;if(n&255){let e=a.get(i),t=e?.until===s&&e.colour===n;t&&a.delete(i),o.set(i,t?e:{until:s,top:r,colour:n})}i=s}for(let[e,t]of a)i(e,t,r);a=o}return[...r].map(([e,t])=>({colour:e,path:t.join(``)}))}var Cr,wr=t((()=>{Cr=(e,t)=>(e[t*4]<<24|e[t*4+1]<<16|e[t*4+2]<<8|e[t*4+3])>>>0}));function Tr(e){let t={"&":`&amp;`,"<":`&lt;`,">":`&gt;`,'"':`&quot;`};return e.replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,`�`).replace(/[&<>"]/g,e=>t[e])}function Er(e,t,n,r){return`M${H(Math.min(e,e+n))} ${H(Math.min(t,t+r))}h${H(Math.abs(n))}v${H(Math.abs(r))}h${H(-Math.abs(n))}z`}function Dr(){let e=new OffscreenCanvas(1,1).getContext(`2d`);return{measure(t,n){return e.font=n,e.measureText(t).width},pixels(e,[t,n,r,i],a,o,s){let c=new OffscreenCanvas(a,o).getContext(`2d`);return c.imageSmoothingEnabled=s,c.drawImage(e,t,n,r,i,0,0,a,o),c.getImageData(0,0,a,o).data}}}var Or,kr,Ar,H,jr,Mr=t((()=>{V(),wr(),Or={fillStyle:`#000`,strokeStyle:`#000`,lineWidth:1,font:xr,textAlign:`left`,textBaseline:`alphabetic`,globalAlpha:1,lineCap:`butt`,lineJoin:`miter`,imageSmoothingEnabled:!0,dash:[],groups:0},kr={top:.85,middle:.35,bottom:-.2},Ar={center:`middle`,right:`end`,end:`end`},H=e=>String(Math.round(e*100)/100),jr=class{#e;#t=[];#n=[];#r={...Or};#i=``;#a=0;#o=new Map;#s={fill:``,path:[]};constructor(e){this.#e=e}get fillStyle(){return this.#r.fillStyle}set fillStyle(e){this.#r.fillStyle=String(e)}get strokeStyle(){return this.#r.strokeStyle}set strokeStyle(e){this.#r.strokeStyle=String(e)}static{for(let e of[`lineWidth`,`font`,`textAlign`,`textBaseline`,`globalAlpha`,`lineCap`,`lineJoin`,`imageSmoothingEnabled`])Object.defineProperty(this.prototype,e,{get(){return this.#r[e]},set(t){this.#r[e]=t}})}save(){this.#n.push(this.#r),this.#r={...this.#r,groups:0}}restore(){let e=this.#n.pop();e&&(this.#f(`</g>`.repeat(this.#r.groups)),this.#r=e)}translate(e,t){this.#l(`transform="translate(${H(e)} ${H(t)})"`)}rotate(e){this.#l(`transform="rotate(${H(e*180/Math.PI)})"`)}clip(){let e=`c${++this.#a}`;this.#f(`<clipPath id="${e}"><path d="${this.#i}"/></clipPath>`),this.#l(`clip-path="url(#${e})"`)}beginPath(){this.#i=``}moveTo(e,t){this.#i+=`M${H(e)} ${H(t)}`}lineTo(e,t){this.#i+=`${this.#i?`L`:`M`}${H(e)} ${H(t)}`}closePath(){this.#i+=`Z`}rect(e,t,n,r){this.#i+=Er(e,t,n,r)}arc(e,t,n){let r=`a${H(n)} ${H(n)} 0 0 1 `;this.#i+=`M${H(e-n)} ${H(t)}${r}${H(2*n)} 0${r}${H(-2*n)} 0Z`}fill(){this.#f(`<path d="${this.#i}" fill="${this.fillStyle}"${this.#c()}/>`)}stroke(){this.#u(this.#i)}fillRect(e,t,n,r){let i=Er(e,t,n,r);this.globalAlpha<1?this.#f(`<path d="${i}" fill="${this.fillStyle}"${this.#c()}/>`):(this.#s.fill!==this.fillStyle&&this.#d(),this.#s.fill=this.fillStyle,this.#s.path.push(i))}strokeRect(e,t,n,r){this.#u(Er(e,t,n,r))}setLineDash(e){this.#r.dash=[...e]}measureText(e){return{width:this.#e.measure(e,this.font)}}fillText(e,t,n,r){let i=Number(/([\d.]+)px/.exec(this.font)?.[1]??11),a=this.font.startsWith(`bold`),o=Ar[this.textAlign],s=r!==void 0&&this.measureText(e).width>r;this.#f(`<text x="${H(t)}" y="${H(n+i*(kr[this.textBaseline]??0))}" font-size="${H(i)}" fill="${this.fillStyle}"${a?` font-weight="bold"`:``}${o?` text-anchor="${o}"`:``}${s?` textLength="${H(r)}" lengthAdjust="spacingAndGlyphs"`:``}${this.#c()}>${Tr(e)}</text>`)}drawImage(e,...t){let{width:n,height:r}=e,[i,a,o,s,c,l,u,d]=t.length>4?t:[0,0,n,r,...t],f=Math.max(1,Math.round(Math.min(u,o))),p=Math.max(1,Math.round(Math.min(d,s))),m=Sr(this.#e.pixels(e,[i,a,o,s],f,p,this.imageSmoothingEnabled),f,p);this.#f(`<g transform="translate(${H(c)} ${H(l)}) scale(${u/f} ${d/p})" shape-rendering="crispEdges"${this.#c()}>`);for(let{colour:e,path:t}of m){let n=e&255;this.#f(`<path fill="#${(e>>>8).toString(16).padStart(6,`0`)}"${n<255?` fill-opacity="${H(n/255)}"`:``} d="${t}"/>`)}this.#f(`</g>`)}hatched(e){let t=this.#o.get(e);if(t)return t;let n=`h${++this.#a}`;return this.#f(`<pattern id="${n}" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M-8 8L0 0M0 8L8 0M8 8L16 0" stroke="${e}"/></pattern>`),this.#o.set(e,`url(#${n})`),`url(#${n})`}finish(e,t,n){for(;this.#n.length;)this.restore();this.#f(`</g>`.repeat(this.#r.groups));let r=Tr(xr.replace(/^\S+ /,``));return`<svg xmlns="http://www.w3.org/2000/svg" width="${H(e)}" height="${H(t)}" viewBox="0 0 ${H(e)} ${H(t)}" font-family="${r}"><title>${Tr(n)}</title>\n${this.#t.join(`
`)}\n</svg>\n`}#c(){return this.globalAlpha<1?` opacity="${H(this.globalAlpha)}"`:``}#l(e){this.#f(`<g ${e}>`),this.#r.groups++}#u(e){let{dash:t,lineCap:n,lineJoin:r}=this.#r,i=`${t.length?` stroke-dasharray="${t.join(` `)}"`:``}${n===`butt`?``:` stroke-linecap="${n}"`}${r===`miter`?``:` stroke-linejoin="${r}"`}`;this.#f(`<path d="${e}" fill="none" stroke="${this.strokeStyle}" stroke-width="${H(this.lineWidth)}"${i}${this.#c()}/>`)}#d(){let{fill:e,path:t}=this.#s;t.length&&this.#t.push(`<path fill="${e}" d="${t.join(``)}"/>`),this.#s={fill:``,path:[]}}#f(e){this.#d(),e&&this.#t.push(e)}}}));function Nr(e){if(e===null)return``;if(typeof e==`number`)return Number.isFinite(e)?String(e):``;let t=Ir.test(e)&&!Lr.test(e)?`'${e}`:e;return/[",\r\n]/.test(t)?`"${t.replace(/"/g,`""`)}"`:t}function Pr(e,t){if(e.value)return e.value(t);let n=e.cell(t);return typeof n==`string`?n:``}function Fr({columns:e,count:t}){let n=[e.map(Rr).join(`,`)];for(let r=0;r<t;r++)n.push(e.map(e=>Nr(Pr(e,r))).join(`,`));return n.map(e=>`${e}\r\n`).join(``)}var Ir,Lr,Rr,zr=t((()=>{Ir=/^[=+\-@\t\r]/,Lr=/^[+-]?\d+(\.\d+)?$/,Rr=({name:e,title:t,unit:n})=>Nr(`${e??t}${n?` (${n})`:``}`)}));function Br(e,t){let n=URL.createObjectURL(e),r=document.createElement(`a`);r.href=n,r.download=t,r.click(),setTimeout(()=>URL.revokeObjectURL(n),6e4)}var Vr,Hr=t((()=>{Vr=(e,t)=>`${(e??`run`).replace(/[^\w.-]/g,`_`).replace(/^\.+/,``)}${t}`}));function Ur(e,t){return[...e.savers].find(e=>e.view===t)??null}var Wr,Gr,Kr=t((()=>{Wr=[`png`,`svg`,`csv`],Gr=class{#e;constructor(e,...t){this.#e=t,e.addController(this)}hostConnected(){for(let e of this.#e)e.app.savers.add(e)}hostDisconnected(){for(let e of this.#e)e.app.savers.delete(e)}}}));async function qr({width:e,height:t,draw:n}){let r=Math.max(Zr,devicePixelRatio||1),i=new OffscreenCanvas(Math.round(e*r),Math.round(t*r)),a=i.getContext(`2d`,{alpha:!1});return a.scale(r,r),n(a),i.convertToBlob({type:`image/png`})}function Jr(e){let{count:t,total:n=t}=e,r=t<n?` It has the ${j(t)} rows of the pane, out of ${j(n)}: filter or zoom in to get the others.`:``;return{blob:new Blob([Fr(e)],{type:`text/csv;charset=utf-8`}),lack:r}}async function Yr(e,t,n,r){let i=Ur(e,t);if(n===`csv`){let e=i?.table();return e?Jr(e):null}let a=i?.picture?.();if(!a)return null;let o=Dr(),s=i.app.caption(r),c=_l(a,s,xl(e),o.measure);if(n===`png`)return{blob:await qr(c),lack:``};let l=new jr(o);return c.draw(l),{blob:new Blob([l.finish(c.width,c.height,s)],{type:`image/svg+xml`}),lack:``}}async function Xr(e,t,n,r){try{let i=await Yr(e,t,n,r);if(!i){e.say(`There is nothing to save yet.`);return}let a=Vr(e.savedName,`-${t}.${n}`);Br(i.blob,a),e.say(`Saved: ${a}, ${A(i.blob.size)}, in the browser's downloads.${i.lack}`)}catch(t){e.fail(t)}}var Zr,Qr=t((()=>{Mr(),F(),zr(),Hr(),Kr(),Sl(),Zr=2}));function U(e,t,n,r){var i=arguments.length,a=i<3?t:r===null?r=Object.getOwnPropertyDescriptor(t,n):r,o;if(typeof Reflect==`object`&&typeof Reflect.decorate==`function`)a=Reflect.decorate(e,t,n,r);else for(var s=e.length-1;s>=0;s--)(o=e[s])&&(a=(i<3?o(a):i>3?o(t,n,a):o(t,n))||a);return i>3&&a&&Object.defineProperty(t,n,a),a}var W=t((()=>{})),$r,ei,ti=t((()=>{w(),R(),cl(),Qr(),Kr(),W(),$r={png:`PNG image`,svg:`SVG drawing`,csv:`CSV data`},ei=class extends C{constructor(...e){super(...e),this.view=``,this.what=``,this.formats=Wr}static{this.styles=[L,l`
      :host {
        display: inline-block;
        font-size: 12px;
      }
      button.line {
        min-height: 24px;
      }
      [role="menu"] {
        position: fixed;
        inset: auto;
        margin: 0;
        padding: 4px;
        background: var(--panel);
        color: var(--text);
        border: 1px solid var(--line-strong);
        border-radius: 6px;
        box-shadow: var(--shadow);
      }
      [role="menuitem"] {
        display: block;
        width: 100%;
        text-align: left;
      }
    `]}willUpdate(){nl(this.view)&&({title:this.what,saves:this.formats}=rl(this.view))}#e(e){Xr(this.app,this.view,e,this.what)}get#t(){return this.renderRoot.querySelector(`[role=menu]`)}get#n(){return[...this.renderRoot.querySelectorAll(`[role=menuitem]`)]}#r(){let e=this.renderRoot.querySelector(`button`),t=this.#t.matches(`:popover-open`);if(e.setAttribute(`aria-expanded`,String(t)),!t)return;let n=e.getBoundingClientRect(),{offsetWidth:r,offsetHeight:i}=this.#t,a=n.bottom+2+i<=window.innerHeight;this.#t.style.left=`${Math.max(4,Math.min(n.left,window.innerWidth-r-4))}px`,this.#t.style.top=`${a?n.bottom+2:n.top-2-i}px`,this.#n[0]?.focus()}#i(){this.#t.hidePopover(),this.renderRoot.querySelector(`button`).focus()}#a(e){let t=this.#n,n=t.indexOf(e.target),r={ArrowDown:n+1,ArrowUp:n-1,Home:0,End:t.length-1}[e.key];e.stopPropagation(),(e.key===`Tab`||e.key===`Escape`)&&this.#i(),r!==void 0&&(e.preventDefault(),t[(r+t.length)%t.length]?.focus())}render(){let e=this.formats.length===1?this.formats[0]:null;return e?x`<button class="line" aria-label="Save ${this.what} as ${e.toUpperCase()}" @click=${()=>this.#e(e)}>Save</button>`:x`<button class="line" aria-label="Save ${this.what}" aria-haspopup="menu" aria-expanded="false" popovertarget="menu">Save</button>
      <div id="menu" popover role="menu" aria-label="Save ${this.what} as" @toggle=${()=>this.#r()} @keydown=${e=>this.#a(e)}>
        ${this.formats.map(e=>x`<button
            role="menuitem"
            tabindex="-1"
            @click=${()=>{this.#i(),this.#e(e)}}
          >
            ${$r[e]}
          </button>`)}
      </div>`}},U([E({attribute:!1})],ei.prototype,`app`,void 0),U([E()],ei.prototype,`view`,void 0),U([E()],ei.prototype,`what`,void 0),U([E({attribute:!1})],ei.prototype,`formats`,void 0),ei=U([T(`mp-save`)],ei)})),G,K=t((()=>{G=class{#e;#t;#n=()=>{this.#t?.(),this.#e.requestUpdate()};constructor(e,t=null){this.#e=e,this.#t=t,e.addController(this)}hostConnected(){this.#e.app.comparison.addEventListener(`change`,this.#n),queueMicrotask(()=>this.#t?.())}hostDisconnected(){this.#e.app.comparison.removeEventListener(`change`,this.#n)}}}));function ni(e,t,n){let{id:r}=t;if(r===null)return null;switch(e){case`function`:return{functions:[r]};case`class`:return{functions:n(r)};case`rank`:return{ranks:String(r)};case`bytes`:return{bytes_min:r,bytes_max:r};case`size_bin`:return ri(r);case`host`:case`peer`:case`comm`:case`tag`:case`site`:case`region`:case`iteration`:case`thread`:return{[e]:r};default:return null}}function ri(e){return e>=oi?{bytes_min:2**30,bytes_max:null}:e<=0?{bytes_min:0,bytes_max:0}:{bytes_min:2**(e-1),bytes_max:2**e-1}}var ii,ai,oi,si=t((()=>{ii=[{id:`function`,title:`Function`},{id:`site`,title:`Call site`},{id:`rank`,title:`Rank`},{id:`host`,title:`Host`},{id:`peer`,title:`Peer`},{id:`comm`,title:`Communicator`},{id:`size_bin`,title:`Size bin`},{id:`bytes`,title:`Bytes`},{id:`tag`,title:`Tag`},{id:`region`,title:`Region`},{id:`iteration`,title:`Iteration`},{id:`thread`,title:`Thread`},{id:`class`,title:`Class`}],ai=e=>ii.find(t=>t.id===e)?.title??e,oi=31}));function q(e,t,n,r,i={}){return{id:e,title:t,isNumber:!0,cell:e=>r(n(e)),value:n,...i}}var ci,li,ui=t((()=>{w(),O(),R(),W(),ci=8,li=class extends C{constructor(...e){super(...e),this.columns=[],this.count=0,this.frozen=1,this.label=`Table`,this.sort=null,this.isSelected=()=>!1,this.empty=`No data.`,this.canActivate=!0,this.branch=null,this.first=0,this.shown=40,this.active=0,this.#e=null}static{this.styles=[L,l`
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
        z-index: 2;
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
      .cell.cut {
        contain: inline-size;
      }
      .cell.frozen {
        position: sticky;
        left: 0;
        z-index: 1;
        background: inherit;
        line-height: 23px;
      }
      .opener {
        display: inline-block;
        width: 14px;
        color: var(--muted);
        cursor: pointer;
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
        background: var(--panel);
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
      .scroll:focus-visible .row.active .frozen {
        box-shadow:
          inset 0 2px 0 var(--accent),
          inset 0 -2px 0 var(--accent);
      }
      .empty {
        padding: 14px;
        color: var(--muted);
      }
    `]}#e;firstUpdated(){let e=this.#t();this.#e=new ResizeObserver(()=>this.#n()),this.#e.observe(e)}disconnectedCallback(){super.disconnectedCallback(),this.#e?.disconnect()}willUpdate(e){e.has(`count`)&&this.active>=this.count&&(this.active=Math.max(0,this.count-1))}#t(){return this.renderRoot.querySelector(`.scroll`)}#n(){let e=this.#t();this.first=Math.max(0,Math.floor(e.scrollTop/24)-ci),this.shown=Math.ceil(e.clientHeight/24)+16}reveal(e){let t=this.#t();if(!t||e<0)return;let n=e*24;n<t.scrollTop?t.scrollTop=n:n+24+26>t.scrollTop+t.clientHeight&&(t.scrollTop=n+24+26-t.clientHeight),this.active=e}#r(e){this.active=e,this.dispatchEvent(new CustomEvent(`activate`,{detail:e}))}#i(e){if(e.ctrlKey||e.altKey||e.metaKey||e.target!==this.#t())return;let t=Math.max(1,Math.floor(this.#t().clientHeight/24)-1),n={ArrowDown:this.active+1,ArrowUp:this.active-1,PageDown:this.active+t,PageUp:this.active-t,Home:0,End:this.count-1}[e.key];if(n!==void 0)this.reveal(Math.max(0,Math.min(this.count-1,n)));else if(this.branch&&e.key===`ArrowRight`)this.#o(this.branch(this.active),!0);else if(this.branch&&e.key===`ArrowLeft`)this.#o(this.branch(this.active),!1);else if((e.key===`Enter`||e.key===` `)&&this.canActivate&&this.count)this.#r(this.active);else if(e.key===`ArrowLeft`||e.key===`ArrowRight`)this.#t().scrollLeft+=e.key===`ArrowLeft`?-60:60;else return;e.preventDefault()}#a(e){this.dispatchEvent(new CustomEvent(`toggle`,{detail:e}))}#o({level:e,isOpen:t},n){if(t===!n)return this.#a(this.active);let r=this.active;if(n)r+=+!!t;else for(;r>0&&this.branch(r).level>=e;)r--;this.reveal(r)}updated(){let e=this.columns.map(e=>e.width??(e.isNumber?`minmax(70px, 1fr)`:`minmax(110px, 2fr)`)).join(` `);for(let t of this.renderRoot.querySelectorAll(`.row`)){t.style.gridTemplateColumns=e;let{index:n}=t.dataset;n&&(t.style.top=`${Number(n)*24}px`);let r=this.branch&&n?t.querySelector(`.cell`):null;r&&(r.style.paddingLeft=`${6+14*Math.min(40,this.branch(Number(n)).level-1)}px`)}this.frozen>1&&this.#s();let t=this.renderRoot.querySelector(`.body`);t&&(t.style.height=`${this.count*24}px`)}#s(){let e=[...this.renderRoot.querySelectorAll(`.head .cell`)],t=0;for(let n=0;n<this.frozen;n++){for(let e of this.renderRoot.querySelectorAll(`.cell:nth-child(${n+1})`))e.style.left=`${t}px`;t+=e[n]?.offsetWidth??0}}render(){let e=Math.min(this.count,this.first+this.shown),t=[];for(let n=this.first;n<e;n++)t.push(this.#u(n));return x`<div
      class="scroll"
      role=${this.branch?`treegrid`:`grid`}
      tabindex="0"
      aria-label=${this.label}
      aria-rowcount=${this.count+1}
      aria-colcount=${this.columns.length}
      aria-activedescendant=${this.count?`row-${this.active}`:S}
      @scroll=${()=>this.#n()}
      @keydown=${e=>this.#i(e)}
    >
      <div class="row head" role="row" aria-rowindex="1">${this.columns.map((e,t)=>this.#l(e,t))}</div>
      <div class="body" role="rowgroup">${t.length?t:S}</div>
      ${this.count?S:x`<div class="empty" role="row"><span role="gridcell">${this.empty}</span></div>`}
    </div>`}#c(e,t){return`cell ${e.isNumber?`number`:``} ${e.isCut?`cut`:``} ${t<this.frozen?`frozen`:``}`}#l(e,t){let n=this.sort?.id===e.id,r=n?this.sort.ascending?`ascending`:`descending`:S,i=x`${e.title}${n?this.sort.ascending?` ▴`:` ▾`:``}`;return x`<div class=${this.#c(e,t)} role="columnheader" aria-sort=${r} title=${e.help??S}>
      ${e.isSortable?x`<button @click=${()=>this.dispatchEvent(new CustomEvent(`sort`,{detail:e.id}))}>${i}</button>`:x`<b>${i}</b>`}
    </div>`}#u(e){let t=this.branch?.(e),n=t?t.isOpen===null?x`<span class="opener"></span>`:(t=>x`<span
      class="opener"
      aria-hidden="true"
      @click=${t=>{t.stopPropagation(),this.active=e,this.#a(e)}}
      >${t?`▾`:`▸`}</span
    >`)(t.isOpen):S;return x`<div
      class="row ${e===this.active?`active`:``}"
      role="row"
      id="row-${e}"
      data-index=${e}
      aria-rowindex=${e+2}
      aria-selected=${this.isSelected(e)?`true`:`false`}
      aria-level=${t?.level??S}
      aria-expanded=${t?.isOpen??S}
      @click=${()=>this.canActivate&&this.#r(e)}
    >
      ${this.columns.map((t,r)=>x`<div class=${this.#c(t,r)} role="gridcell">${r?S:n}${t.cell(e)}</div>`)}
    </div>`}},U([E({attribute:!1})],li.prototype,`columns`,void 0),U([E({type:Number})],li.prototype,`count`,void 0),U([E({type:Number})],li.prototype,`frozen`,void 0),U([E()],li.prototype,`label`,void 0),U([E({attribute:!1})],li.prototype,`sort`,void 0),U([E({attribute:!1})],li.prototype,`isSelected`,void 0),U([E()],li.prototype,`empty`,void 0),U([E({type:Boolean})],li.prototype,`canActivate`,void 0),U([E({attribute:!1})],li.prototype,`branch`,void 0),U([D()],li.prototype,`first`,void 0),U([D()],li.prototype,`shown`,void 0),U([D()],li.prototype,`active`,void 0),li=U([T(`mp-vtable`)],li)})),di=n({TablePane:()=>gi,sorted:()=>fi});function fi(e,t,n){let r=n?1:-1,i=/^key(\d)$/.exec(t),a=(e,n)=>{if(i){let t=Number(i[1]),[r,a]=[e.key[t],n.key[t]];return(r?.text??``).localeCompare(a?.text??``,`en`,{numeric:!0})}return(e[t]??0)-(n[t]??0)};return[...e].sort((e,t)=>r*a(e,t))}var pi,mi,hi,gi,_i=t((()=>{w(),O(),On(),Nn(),Ln(),hr(),R(),F(),ti(),Kr(),K(),si(),ui(),W(),pi=5e3,mi=[`count`,`total_ns`,`mean_ns`,`max_ns`,`bytes`],hi=[{id:`count`,title:`Count`,text:j,unit:``},{id:`total_ns`,title:`Total`,text:k,unit:`ns`},{id:`share`,title:`Share`,text:N,unit:``,help:`Share of the time of all ranks in the time range`},{id:`mean_ns`,title:`Mean`,text:k,unit:`ns`},{id:`median_ns`,title:`Median`,text:k,unit:`ns`},{id:`min_ns`,title:`Min`,text:k,unit:`ns`},{id:`max_ns`,title:`Max`,text:k,unit:`ns`},{id:`p95_ns`,title:`P95`,text:k,unit:`ns`,help:`95 % of the calls take at most this long`},{id:`p99_ns`,title:`P99`,text:k,unit:`ns`,help:`99 % of the calls take at most this long`},{id:`sd_ns`,title:`SD`,text:k,unit:`ns`,help:`Standard deviation`},{id:`bytes`,title:`Bytes`,text:A,unit:`bytes`}],gi=class extends C{static{this.styles=[L,gr,vr]}#e;constructor(){super(),this.view=`table`,this.#e=new Dn(this),new G(this),new Gr(this,this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by:t,sort:n}=e.store.state.table,r={...e.scope,by:t,sort:mi.includes(n)?n:`total_ns`,limit:pi};this.#e.update([r,e.growth],...An(e,r,(t,n)=>e.client.groups(t,n)))}#t(e,t){let n=this.app.store.state.table.by.split(`,`);t===``?n.splice(e,1):n[e]=t,this.app.store.set({table:{...this.app.store.state.table,by:[...new Set(n)].join(`,`)}})}#n(e){let{table:t}=this.app.store.state,n=t.sort===e?!t.ascending:e.startsWith(`key`)||e===`min_ns`;this.app.store.set({table:{...t,sort:e,ascending:n}})}#r(e){let{app:t}=this,n=t.store.state.table.by.split(`,`),r=t.run?.classes??[],i=e=>(t.run?.functions??[]).filter(t=>t.class===r[e]?.id).map(e=>e.id),a=t.store.state.filter,o=!1;n.forEach((t,n)=>{let r=e.key[n]?ni(t,e.key[n],i):null;r&&(a={...a,...r},o=!0)}),o?t.store.set({filter:a}):t.say(`Calls without this value cannot be filtered by it.`)}#i(){let{sort:e,ascending:t}=this.app.store.state.table;return fi(this.#e.value?.rows??[],e,t)}table(){if(!this.#e.value)return null;let e=this.#i();return{columns:[...this.app.store.state.table.by.split(`,`).map((t,n)=>({id:`key${n}`,title:ai(t),isSortable:!0,width:`minmax(130px, 2.5fr)`,cell:r=>this.#o(t,e[r],n),value:r=>this.#a(t,e[r],n),...t===`bytes`?{unit:`bytes`}:{}})),...hi.map(({id:t,title:n,text:r,unit:i,help:a})=>q(t,n,n=>e[n][t],r,{isSortable:!0,unit:i,...a?{help:a}:{}}))],count:e.length,total:this.#e.value.total}}render(){let{app:e}=this,{by:t,sort:n,ascending:r}=e.store.state.table,i=t.split(`,`),a=this.#e.value,o=this.#i(),s=ii.filter(t=>t.id!==`iteration`||e.run?.iterations).filter(t=>t.id!==`region`||e.run?.regions.length),c=(e,t)=>x`${t?x`<option value="" ?selected=${!e}>–</option>`:S}${s.map(t=>x`<option value=${t.id} ?selected=${t.id===e}>${t.title}</option>`)}`;return x`<div class="controls">
        <label>group by
          <select @change=${e=>this.#t(0,e.target.value)}>${c(i[0],!1)}</select></label>
        <label>and
          <select @change=${e=>this.#t(1,e.target.value)}>${c(i[1],!0)}</select></label>
        <span class="space"></span>
        <span class="muted">${a?a.is_cut?`first ${j(a.rows.length)} of ${M(a.total,`group`)}`:M(a.total,`group`):``}${kn(a?.basis,this.#e.done)}</span>
        <mp-save .app=${e} view=${this.view}></mp-save>
      </div>
      ${e.run?.state===`ready`?this.#e.error?Pn(this.#e.error):x`<mp-vtable
            label="Statistics of calls; Enter filters by the row"
            aria-busy=${this.#e.isBusy}
            .columns=${this.table()?.columns??[]}
            .count=${o.length}
            .frozen=${i.length}
            .sort=${{id:n,ascending:r}}
            empty=${this.#e.isBusy?`…`:`No calls.`}
            @sort=${e=>this.#n(e.detail)}
            @activate=${e=>o[e.detail]&&this.#r(o[e.detail])}
          ></mp-vtable>`:Fn()}`}#a(e,t,n){let r=t.key[n];if(e===`bytes`&&r&&r.id!==null)return r.id;let i=this.#o(e,t,n);return typeof i==`string`?i:r?.text??``}#o(e,t,n){let r=t.key[n];return r?e===`function`&&r.id!==null?x`${pr(this.app,r.id)} ${r.text}`:e===`bytes`&&r.id!==null?A(r.id):(e===`rank`||e===`peer`)&&r.id!==null?String(this.app.worldRank(r.id)):r.text||`none`:``}},U([E({attribute:!1})],gi.prototype,`app`,void 0),gi=U([T(`mp-table`)],gi)}));function vi(e,t){if(e.isLog){let n=Math.log(Math.max(e.min,Number.MIN_VALUE)),r=Math.log(Math.max(e.max,Number.MIN_VALUE));return r>n?(Math.log(Math.max(t,Number.MIN_VALUE))-n)/(r-n):.5}return e.max>e.min?(t-e.min)/(e.max-e.min):.5}function yi(e,t){if(e.isLog){let n=Math.log(Math.max(e.min,Number.MIN_VALUE)),r=Math.log(Math.max(e.max,Number.MIN_VALUE));return Math.exp(n+(r-n)*t)}return e.min+(e.max-e.min)*t}function bi(e,t,n=!1){let r=e/Math.max(1,t);if(!(r>0)||!Number.isFinite(r))return 1;if(n)return 2**Math.ceil(Math.log2(r));let i=10**Math.floor(Math.log10(r));for(let e of[1,2,5,10])if(e*i>=r*(1-1e-9))return e*i;return 10*i}function xi(e,t,n,r=!1){let i=bi(t-e,n,r),a=[];for(let n=Math.ceil(e/i-1e-9);n*i<=t+i*1e-9&&a.length<wi;n++)a.push(n*i);return a}function Si(e,t,n,r=!1){let i=r?2:10,a=Math.ceil(Math.log(Math.max(e,Number.MIN_VALUE))/Math.log(i)-1e-9),o=Math.floor(Math.log(Math.max(t,Number.MIN_VALUE))/Math.log(i)+1e-9),s=Math.max(1,Math.ceil((o-a+1)/Math.max(1,n))),c=[];for(let e=a;e<=o;e++)(e-a)%s===0&&c.push(i**e);return c.length>=2?c:xi(e,t,Math.min(n,4),r)}function Ci(e,t,n=``){let r=n===`bytes`;return e.isLog?Si(e.min,e.max,t,r):xi(e.min,e.max,t,r)}var wi,Ti=t((()=>{wi=1e3}));function Ei(e,t){return{left:76,top:10,width:Math.max(1,e-76-14),height:Math.max(1,t-10-38)}}function Di(e,t,n){return e.text?e.text(t):e.isMoment?P(t,n):qt(t,e.unit)}function Oi(e,t,n,r,i){e.font=xr,e.lineWidth=1;let a=Ci(n.scale,Math.max(2,Math.floor(t.width/95)),n.unit),o=Ci(r.scale,Math.max(2,Math.floor(t.height/32)),r.unit),s=e=>e.length>1?e[1]-e[0]:1;e.strokeStyle=i.line,e.fillStyle=i.muted,e.textBaseline=`top`;for(let r of a){let i=Math.round(t.left+vi(n.scale,r)*t.width)+.5;if(i<t.left-1||i>t.left+t.width+1)continue;e.beginPath(),e.moveTo(i,t.top),e.lineTo(i,t.top+t.height+4),e.stroke();let o=Di(n,r,s(a)),c=e.measureText(o).width/2;e.textAlign=`center`,e.fillText(o,Math.min(i,t.left+t.width+12-c),t.top+t.height+6)}e.textBaseline=`middle`,e.textAlign=`right`;for(let n of o){let i=Math.round(t.top+(1-vi(r.scale,n))*t.height)+.5;i<t.top-1||i>t.top+t.height+1||(e.beginPath(),e.moveTo(t.left-4,i),e.lineTo(t.left+t.width,i),e.stroke(),e.fillText(Di(r,n,s(o)),t.left-7,i,t.left-20))}e.strokeStyle=i.muted,e.strokeRect(t.left+.5,t.top+.5,t.width,t.height),e.font=B,e.fillStyle=i.text,e.textAlign=`center`,e.textBaseline=`bottom`,e.fillText(n.title,t.left+t.width/2,t.top+t.height+37),e.save(),e.translate(10,t.top+t.height/2),e.rotate(-Math.PI/2),e.textBaseline=`middle`,e.fillText(r.title,0,0),e.restore()}function ki(e){let t=e.clientWidth,n=e.clientHeight;if(!t||!n)return null;let r=devicePixelRatio||1;(e.width!==Math.round(t*r)||e.height!==Math.round(n*r))&&(e.width=Math.round(t*r),e.height=Math.round(n*r));let i=e.getContext(`2d`,{alpha:!1});return i.setTransform(r,0,0,r,0,0),{c:i,width:t,height:n}}var Ai=t((()=>{Ti(),F(),V()}));function J(e,t){let n=e.split(`;`).find(e=>e.startsWith(`${t}:`));return n===void 0?null:n.slice(t.length+1)}function Y(e,t,n){let r=t===`group`&&n!==J(e,`group`);return ji.map(i=>[i,i===t?n:i===`fold`&&r?null:J(e,i)]).filter(([,e])=>e!==null&&e!==``).map(([e,t])=>`${e}:${t}`).join(`;`)}var ji,Mi=t((()=>{ji=[`ranks`,`pin`,`group`,`fold`,`sort`]}));function Ni(e,t,n,r){if(n===null||r===null)return null;let i=e?.ranks.length??t,a=t=>Math.max(0,Math.min(i,e?.starts?e.starts[Math.max(0,t)]??i:t)),o=a(Math.floor(n)),s=a(Math.ceil(r));if(o<=0&&s>=i&&i===t)return null;let c=[];for(let t=o;t<s;t++)c.push(e?e.ranks[t]:t);return Jt(c)}function Pi(e,t){if(e===null||t===null)return e??t;let n=new Set(Fi(t)),r=Fi(e).filter(e=>n.has(e));return r.length?Jt(r):`16777215`}function Fi(e){let t=[];for(let n of e.split(`,`)){let[e,r]=n.split(`-`).map(Number);for(let n=e;n<=(r??e);n++)t.push(n)}return t}function Ii(e,t){return e.area?{from:Math.round(e.area.from),until:Math.round(e.area.until)}:e.scope===`run`||e.from===null&&e.isWhole?{from:null,until:null}:{from:Math.round(t.from),until:Math.round(t.until)}}function Li(e,t,n,r,i){let a=e.area,o=a?Ni(n,r,a.row_from,a.row_until):e.scope===`window`?Ni(n,r,e.row_from,e.row_until):null;return{...e.filter,...Ii(e,t),functions:zi(e,i),ranks:Pi(o,e.filter.ranks)}}function Ri(e,t){return zi(e.skipped.length?{...e,hidden:[...e.hidden,...e.skipped]}:e,t)}function zi(e,t){if(!e.hidden.length)return e.filter.functions;let n=new Set(e.hidden),r=(e.filter.functions??t.map(e=>e.id)).filter(e=>!n.has(e));return r.length?r:[Bi]}var Bi,Vi=t((()=>{F(),Bi=65534}));function Hi(e){let[t,n]=e.comparison.apps.map(e=>e.detail?.start_ns);t===void 0||n===void 0?e.say(`Select a call in each run first.`):(e.comparison.store.set({align:{by:`at`,moments:[Math.round(t),Math.round(n)]}}),e.say(`Aligned at the selected calls.`))}var Ui=t((()=>{})),Wi,Gi=t((()=>{Wi=[`before`,`after`]}));function Ki(e){return e.by===`iteration`?`iteration:${e.number}`:e.by===`phase`?`phase:${e.number}:${e.name}`:e.by===`region`?`region:${e.name}`:e.by===`at`?`at:${e.moments.join(`~`)}`:e.by}function qi(e){if(e===`start`)return{by:`start`};let t=/^iteration:(\d{1,9})$/.exec(e);if(t)return{by:`iteration`,number:Number(t[1])};let n=/^phase:(\d{1,9}):(.{1,200})$/.exec(e);if(n)return{by:`phase`,number:Number(n[1]),name:n[2]};let r=/^region:(.{1,200})$/.exec(e);if(r)return{by:`region`,name:r[1]};let i=/^at:(-?\d{1,16})~(-?\d{1,16})$/.exec(e);return i?{by:`at`,moments:[Number(i[1]),Number(i[2])]}:Xi}function Ji(e,{run:t,begins:n},r){switch(e.by){case`start`:return t.from_ns;case`init`:{let e=t.ranks.rows_from_ns??[];return e.length?e.reduce((e,t)=>Math.min(e,t)):null}case`iteration`:return t.iterations?.from_ns[e.number]??null;case`phase`:{let n=t.iterations?.from_ns[e.number],r=t.iterations?.until_ns[e.number],i=t.iterations?.phases?.find(({name:t})=>t===e.name);return n===void 0||r===void 0||!i?null:n+(r-n)*i.from}case`region`:return n.get(e.name)??null;case`at`:return e.moments[r]}}function Yi(e,t,n){let[r,i]=[Ji(e,t,0),Ji(e,n,1)];return r===null||i===null?null:Math.round(i-r)}var Xi,Zi=t((()=>{Xi=Object.freeze({by:`init`})}));function Qi(e){return e.split(`,`).map(Number).filter(rn)}function $i(e){return Object.entries(e).filter(([,e])=>e!==null).map(([e,t])=>`${e}:${Array.isArray(t)?t.join(`,`):String(t)}`).join(`;`)}function ea(e){let t={...ul};for(let n of e.split(`;`)){let e=n.indexOf(`:`),r=n.slice(0,e),i=n.slice(e+1);e<0||!(r in ul)||(r===`ranks`||r===`peers`?t[r]=/^[\d,-]+$/.test(i)?i:null:r===`functions`?t.functions=Qi(i):i!==``&&Number.isFinite(Number(i))&&(t[r]=Number(i)))}return t}function ta(e){return Object.fromEntries([...e.matchAll(/(?<=^|,)(\d+|[a-z]+):([0-9a-f]{6})(?=,|$)/g)].map(([,e,t])=>[e,t]))}function na(e){let t=new Map,n=(e,n)=>void t.set(e,n);n(`page`,e.page),n(`t`,e.from===null&&e.isWhole?sa:nn([e.from,e.until])),n(`rows`,nn([e.row_from,e.row_until])),n(`order`,e.order),n(`filter`,$i(e.filter)),n(`call`,ca(e.selection)),n(`area`,e.area?nn([e.area.from,e.area.until,e.area.row_from,e.area.row_until]):``),n(`hidden`,e.hidden.join(`,`)),n(`skipped`,e.skipped.join(`,`)),n(`colour`,e.colouring),n(`paint`,Object.entries(e.paint).map(e=>e.join(`:`)).join(`,`)),n(`layers`,e.layers.join(`,`)),n(`left`,e.left),n(`right`,e.right),n(`scope`,e.scope);for(let[t,{write:r}]of al)n(t,r(e[t]));return n(`at`,e.moment===null?``:String(e.moment)),n(`twins`,e.twins.join(`,`)),n(`about`,String(e.about)),n(`other`,ca(e.other)),n(`align`,Ki(e.align)),n(`finding`,e.finding===null?``:String(e.finding)),t}function ra(e){return[...na(e)].filter(([e,t])=>e===`page`||t!==la.get(e)).map(([e,t])=>`${e}=${encodeURIComponent(t).replace(/%(3A|3B|2C|7E)/g,decodeURIComponent)}`).join(`&`)}function ia(e){return da(e).filter(e=>{let[t=``,n]=aa(e)??[];return n===void 0||!la.has(t)||ua(na(oa(e)).get(t))!==ua(n)})}function aa(e){let t=e.indexOf(`=`);if(t<0)return null;try{return[e.slice(0,t),decodeURIComponent(e.slice(t+1))]}catch{return null}}function oa(e){let t={...dl},n=new Map(da(e).map(aa).filter(e=>e!==null)),r=e=>n.get(e)??``,i=r(`page`);(i===`views`||i===`compare`)&&(t.page=i),t.isWhole=r(`t`)===sa;let a=tn(r(`t`),2);a&&a[0]!==null&&a[1]!==null&&a[0]<a[1]&&(t.from=a[0],t.until=a[1]);let o=tn(r(`rows`),2);o&&o[0]!==null&&o[1]!==null&&o[0]<o[1]&&(t.row_from=o[0],t.row_until=o[1]),t.order=r(`order`),n.has(`filter`)&&(t.filter=ea(r(`filter`)));let s=tn(r(`call`),2);s&&rn(s[0])&&rn(s[1])&&(t.selection={rank:s[0],row:s[1]});let c=tn(r(`area`),4);c&&typeof c[0]==`number`&&typeof c[1]==`number`&&c[0]<c[1]&&(t.area={from:c[0],until:c[1],row_from:c[2]??null,row_until:c[3]??null}),r(`hidden`)&&(t.hidden=Qi(r(`hidden`))),r(`skipped`)&&(t.skipped=Qi(r(`skipped`))),r(`colour`)===`class`&&(t.colouring=`class`),t.paint=ta(r(`paint`)),n.has(`layers`)&&(t.layers=r(`layers`).split(`,`).filter(e=>ll.includes(e)));let l=r(`left`),u=r(`right`);nl(l)&&(t.left=l),nl(u)&&(t.right=u),r(`scope`)===`run`&&(t.scope=`run`);for(let[e,{read:i}]of al){let a=n.has(e)?i(r(e)):null;a!==null&&Object.assign(t,{[e]:a})}n.has(`at`)&&rn(Number(r(`at`)))&&(t.moment=Number(r(`at`))),r(`twins`)&&(t.twins=r(`twins`).split(`,`).filter(e=>ol.includes(e))),r(`about`)===`1`&&(t.about=1);let d=tn(r(`other`),2);return d&&rn(d[0])&&rn(d[1])&&(t.other={rank:d[0],row:d[1]}),r(`align`)&&(t.align=qi(r(`align`))),n.has(`finding`)&&rn(Number(r(`finding`)))&&(t.finding=Number(r(`finding`))),t}var sa,ca,la,ua,da,fa=t((()=>{cl(),Zi(),an(),ml(),sa=`run`,ca=e=>e?nn([e.rank,e.row]):``,la=na(dl),ua=e=>e.split(`;`).map(e=>e.replace(/[^~,:]+/g,e=>Number.isFinite(Number(e))?String(Number(e)):e)).sort().join(`;`),da=e=>e.replace(/^#/,``).split(`&`).filter(Boolean)}));function pa(e,t={}){let n=e.store.state.page===`overview`?`overview`:`views`;return ra({...e.store.state,page:n,about:0,other:null,align:dl.align,...t})}function ma({store:e,detail:t}){let{moment:n,selection:r,area:i,from:a,until:o}=e.state,s=a!==null&&o!==null?(a+o)/2:null,c=n??(r?t?.start_ns??null:null)??i?.from??s;return{at_ns:c===null?null:Math.max(0,Math.round(c)),rank:r?.rank??null}}function ha(e){let{state:t}=e.store;if(t.selection&&e.detail)return`${e.detail.function} of rank ${e.worldRank(t.selection.rank)}`;if(t.page===`overview`)return`Overview`;let{from:n,until:r}=e.window;return`${P(n,(r-n)/100)} + ${k(r-n)}`}function ga(e){e.store.flush();let t=pa(e);return[...t].length>Mt.view||e.notes.notes.length>=Mt.notes?null:{id:ya(),title:ha(e),text:``,view:t,...ma(e)}}function _a(e,t){let{about:n,other:r,align:i,differences:a,...o}=oa(t.view);e.store.set(o),e.say(`Bookmark: ${t.title}`)}function va(e,t,n){let r=(e,t)=>[...e].slice(0,t).join(``),i=t.replace(/\p{Cc}+/gu,` `).trim();return{...e,title:r(i,Mt.title)||e.title,text:r(n.replace(/\r\n?/g,`
`).replace(/(?![\n\t])\p{Cc}/gu,``),Mt.text)}}var ya,ba=t((()=>{F(),fa(),ml(),It(),ya=()=>[...crypto.getRandomValues(new Uint8Array(8))].map(e=>e.toString(16).padStart(2,`0`)).join(``)}));async function xa(e){e.store.flush(),e.say(`Exporting …`);let{from:t,until:n}=e.window,r=pa(e,{order:``});try{let i=await e.client.export({from:Math.max(0,Math.floor(t)),until:Math.ceil(n),view:r});Br(new Blob([i],{type:`text/html`}),Vr(e.run?.name,`.html`)),e.say(`Exported: ${A(i.byteLength)}. The page is in the browser's downloads.`)}catch(t){e.fail(t)}}var Sa=t((()=>{F(),ba(),Hr()}));function Ca(e){let t=J(e,`fold`);if(t===null)return{isAllBut:!1,groups:new Set};if(t===`all`)return{isAllBut:!0,groups:new Set};let n=t.startsWith(`but:`);return{isAllBut:n,groups:new Set(Xt(n?t.slice(4):t,Oa)??[])}}function wa(e,t){let{isAllBut:n,groups:r}=Ca(e);return r.has(t)!==n}function Ta(e,t,n){let[r,i]=[n.filter(e=>t.has(e)),n.filter(e=>!t.has(e))];if(!r.length)return Y(e,`fold`,null);if(!i.length)return Y(e,`fold`,`all`);let[a,o]=[Jt(r),`but:${Jt(i)}`];return Y(e,`fold`,o.length<a.length?o:a)}function Ea(e,t,n){return Ta(e,new Set(n.filter(n=>wa(e,n)!==(n===t))),n)}function Da(e,t){let n=Y(e,`group`,t);return t===null?n:Y(n,`fold`,`all`)}var Oa,ka=t((()=>{F(),Mi(),Oa=1<<24}));function Aa(e){let t=e?.grid?.dims??[],n=t.join(` × `);return t.flatMap((e,r)=>{if(e<2)return[];let i=t.length>2?`planes across axis ${r}`:r===0?`rows`:`columns`;return[{group:`grid:${r}`,title:`${i} of the ${n} grid`}]})}function ja({network:e}){if(!e)return[];let t={group:`node`,title:`node of the network`};return e.has_switches?[t,{group:`switch`,title:`switch of the network`}]:[t]}function Ma(e){if(!e)return[];let t=e.hosts.length>1?[{group:`host`,title:`host`}]:[],n=e.communicators.filter(e=>e.size>1).slice(0,za).map(e=>({group:`comm:${e.id}`,title:e.name}));return[...t,...ja(e),...Aa(e),...n]}function Na(e,t){let{area:n}=e.store.state;e.store.set({page:`views`,order:t,row_from:null,row_until:null,area:n?.row_from===null?n:null})}function Pa(e,t){Na(e,Da(Ba(e),t))}function Fa(e,t){Na(e,Ea(Ba(e),t.number,Ha(e))),e.say(`${t.text}: ${t.is_folded?`unfolded`:`folded`}.`)}function Ia(e,t){Na(e,t?Y(Ba(e),`fold`,`all`):Ta(Ba(e),new Set,Ha(e)))}function La(e){let t=e.store.state.selection?e.positions[e.store.state.selection.rank]??-1:-1;return e.order?.groups.find(e=>t>=e.from&&t<e.until)??null}function Ra(e){let t=e.detail?.comm;return t?e.run?.communicators.find(e=>e.name===t&&e.size>1)?.id??null:null}var za,Ba,Va,Ha,Ua,Wa,Ga,Ka,qa,Ja=t((()=>{ka(),Mi(),za=30,Ba=e=>e.store.state.order,Va=e=>J(Ba(e),`group`)!==null,Ha=e=>e.order?.groups.map(e=>e.number)??[],Ua=e=>!!e.order?.groups.length&&e.order.groups.every(e=>e.is_folded),Wa=e=>e.run.grid.dims.join(` × `),Ga=e=>e.run?.grid?.dims.length===2&&Aa(e.run).length===2,Ka=`Order of ranks`,qa=[{id:`fold-none`,title:`Do not fold: one row per rank`,group:Ka,keys:[],when:Va,run:e=>Pa(e,null)},{id:`fold-host`,title:`Fold by host`,group:Ka,keys:[],when:e=>(e.run?.hosts.length??0)>1,run:e=>Pa(e,`host`)},{id:`fold-node`,title:`Fold by node of the network`,group:Ka,keys:[],when:e=>!!e.run?.network,run:e=>Pa(e,`node`)},{id:`fold-switch`,title:`Fold by switch of the network`,group:Ka,keys:[],when:e=>!!e.run?.network?.has_switches,run:e=>Pa(e,`switch`)},{id:`fold-comm`,title:`Fold by the selected call's communicator`,group:Ka,keys:[],when:e=>Ra(e)!==null,run:e=>Pa(e,`comm:${Ra(e)}`)},...[`rows`,`columns`].flatMap((e,t)=>[{id:`fold-grid-${e}`,title:`Fold by ${e} of the process grid`,titleOf:t=>`Fold by ${e} of the ${Wa(t)} grid`,group:Ka,keys:[],when:Ga,run:e=>Pa(e,`grid:${t}`)},{id:`order-grid-${e}`,title:`Order of ranks: by ${e} of the process grid`,titleOf:t=>`Order of ranks: by ${e} of the ${Wa(t)} grid`,group:Ka,keys:[],when:Ga,run:e=>Na(e,Y(Y(Ba(e),`fold`,null),`group`,`grid:${t}`))}]),{id:`fold-all`,title:`Fold all groups`,group:Ka,keys:[],when:e=>Va(e)&&!Ua(e),run:e=>Ia(e,!0)},{id:`unfold-all`,title:`Unfold all groups`,group:Ka,keys:[],when:e=>!!e.order?.groups.some(e=>e.is_folded),run:e=>Ia(e,!1)},{id:`fold-selected`,title:`Fold or unfold the group of the selected call`,group:Ka,keys:[{code:`KeyF`,shift:!0}],when:e=>La(e)!==null,run:e=>Fa(e,La(e))}]}));function Ya(e,t){e.store.undo(t)||e.say(t<0?`There is no earlier view.`:`There is no later view.`)}var Xa,Za=t((()=>{Xa=[{id:`undo`,title:`Undo: previous view`,group:`Page`,keys:[{key:`z`,ctrl:!0}],run:e=>Ya(e,-1)},{id:`redo`,title:`Redo: next view`,group:`Page`,keys:[{key:`z`,ctrl:!0,shift:!0},{key:`y`,ctrl:!0}],run:e=>Ya(e,1)}]}));function Qa(e,t){let n=Math.max(e.until_ns,e.from_ns+20);return{from:e.from_ns,until:n,row_from:0,row_until:Math.max(1,t)}}function $a(e,t){let{rows_from_ns:n=[],rows_until_ns:r=[]}=e?.ranks??{},i=Math.max(t.from,n.reduce((e,t)=>Math.min(e,t),1/0)),a=Math.min(t.until,r.reduce((e,t)=>Math.max(e,t),-1/0));return a-i>=20?{...t,from:i,until:a}:t}function eo(e,t,n){let r=e.isWhole?t:n;return{from:e.from??r.from,until:e.until??r.until,row_from:e.row_from??t.row_from,row_until:Math.min(e.row_until??t.row_until,Math.max(t.row_until,1))}}function to(e,t){let n=lo(e.until-e.from,20,t.until-t.from),r=lo(e.from,t.from,t.until-n),i=lo(e.row_until-e.row_from,Math.min(1,t.row_until),t.row_until-t.row_from),a=lo(e.row_from,t.row_from,t.row_until-i);return{from:r,until:r+n,row_from:a,row_until:a+i}}function no(e,t,n,r){let i=e.until-e.from,a=lo(i*n,20,t.until-t.from),o=e.from+i*r;return to({...e,from:o-a*r,until:o+a*(1-r)},t)}function ro(e,t,n,r){let i=e.row_until-e.row_from,a=lo(i*n,1,t.row_until-t.row_from),o=e.row_from+i*r;return to({...e,row_from:o-a*r,row_until:o+a*(1-r)},t)}function io(e,t,n,r){let i=(e.until-e.from)*n,a=(e.row_until-e.row_from)*r;return to({from:e.from+i,until:e.until+i,row_from:e.row_from+a,row_until:e.row_until+a},t)}function ao(e,t,n,r,i){let a=Math.max(e.until-e.from,(r-n)*1.2),o=(n+r)/2;return to({...e,from:o-a/2,until:o+a/2,...so(e,i)},t)}function oo(e,t,n,r,i){let a=Math.max((r-n)*3,20),o=(n+r)/2;return to({...e,from:o-a/2,until:o+a/2,...so(e,i)},t)}function so(e,t){let n=e.row_until-e.row_from;if(t===null||t>=e.row_from&&t+1<=e.row_until)return{row_from:e.row_from,row_until:e.row_until};let r=t+.5-n/2;return{row_from:r,row_until:r+n}}function co(e,t,n){let r=e.from===n.from&&e.until===n.until,i=e.from<=t.from&&e.until>=t.until,a=r||i,o=e.row_from<=t.row_from&&e.row_until>=t.row_until,s=e=>Math.round(e*1e3)/1e3;return{from:a?null:Math.round(e.from),until:a?null:Math.max(Math.round(e.until),Math.round(e.from)+1),isWhole:i&&!r,row_from:o?null:s(e.row_from),row_until:o?null:s(e.row_until)}}var lo,uo=t((()=>{lo=(e,t,n)=>Math.max(t,Math.min(n,e))}));function fo(e){let{area:t}=e.store.state,n=e.detail;return n&&e.store.state.selection?{start:n.start_ns,end:n.start_ns+n.duration_ns,row:e.positions[n.rank]??null}:t?{start:t.from,end:t.until,row:null}:null}function po(e){let t=fo(e);if(!t)return;let n=e.window,r=ao(n,e.whole,t.start,t.end,t.row),i=Math.abs(r.from-n.from)<(n.until-n.from)/100&&Math.abs(r.row_from-n.row_from)<.5;e.setWindow(i?oo(n,e.whole,t.start,t.end,t.row):r,!1)}function mo(e){let{main:t,whole:n}=e;return t.from>n.from||t.until<n.until}function ho(e,{from:t,until:n}){return{...e.window,from:t,until:n}}function go(e){let{area:t}=e.store.state;if(!t)return;let n=e.window;e.setWindow(to({from:t.from,until:t.until,row_from:t.row_from??n.row_from,row_until:t.row_until??n.row_until},e.whole),!1)}var _o,vo,yo,bo,xo,So=t((()=>{uo(),_o=.75,vo=.15,yo=e=>e.store.state.page===`views`&&e.run!==null,bo=(e,t,n,r)=>({id:e,title:t,group:`Move`,keys:n,when:yo,run:r}),xo=[bo(`zoom-in`,`Zoom in`,[{code:`KeyW`},{code:`Equal`}],e=>e.setWindow(no(e.window,e.whole,_o,.5),!0)),bo(`zoom-out`,`Zoom out`,[{code:`KeyS`},{code:`Minus`}],e=>e.setWindow(no(e.window,e.whole,1/_o,.5),!0)),bo(`earlier`,`Earlier`,[{code:`KeyA`},{code:`ArrowLeft`}],e=>e.setWindow(io(e.window,e.whole,-.15,0),!0)),bo(`later`,`Later`,[{code:`KeyD`},{code:`ArrowRight`}],e=>e.setWindow(io(e.window,e.whole,vo,0),!0)),bo(`rows-up`,`Ranks above`,[{code:`ArrowUp`}],e=>e.setWindow(io(e.window,e.whole,0,-.15),!0)),bo(`rows-down`,`Ranks below`,[{code:`ArrowDown`}],e=>e.setWindow(io(e.window,e.whole,0,vo),!0)),bo(`rows-in`,`Taller ranks`,[{code:`KeyW`,shift:!0}],e=>e.setWindow(ro(e.window,e.whole,_o,.5),!0)),bo(`rows-out`,`Shorter ranks`,[{code:`KeyS`,shift:!0}],e=>e.setWindow(ro(e.window,e.whole,1/_o,.5),!0)),{...bo(`focus`,`Centre the selection; press again to fit it`,[{code:`KeyF`}],po),when:e=>yo(e)&&fo(e)!==null},{...bo(`zoom-to-area`,`Zoom to the selected area`,[{code:`KeyZ`}],go),when:e=>yo(e)&&e.store.state.area!==null},{...bo(`main`,`Main part: from the end of MPI_Init to MPI_Finalize`,[{code:`Digit9`}],e=>e.setWindow(ho(e,e.main),!1)),when:e=>yo(e)&&mo(e)},bo(`whole`,`Whole run`,[{code:`Home`},{code:`Digit0`}],e=>e.setWindow(e.whole,!1))]}));function Co(e,t){return e.length?{columns:t.map(([t,n,r=``])=>({title:t,unit:r,cell:()=>``,value:t=>n(e[t])})),count:e.length}:null}var wo,To,Eo,Do,Oo,ko,Ao,jo,Mo=t((()=>{F(),wo=({name:e})=>/^MPI_(Init|Init_thread|Finalize|Session_init|Session_finalize)$/.test(e),To=e=>!e||e.overview.all_normal?[]:e.ranks.filter(e=>e.fate.kind!==`finalized`||e.in_flight.length),Eo=({fate:e})=>e.signal_name??e.kind.replace(/_/g,` `),Do=({run:e,report:t})=>{let n=t?.overview.rank_time_ns??0;return Co([...e?.functions??[]].sort((e,t)=>t.time_ns-e.time_ns),[[`Function`,e=>e.name],[`Calls`,e=>e.calls],[`Time`,e=>e.time_ns,`ns`],[`Time without MPI inside`,e=>e.exclusive_ns,`ns`],[`Bytes`,e=>e.bytes,`bytes`],[`Share of rank time`,e=>wo(e)||n<=0?null:e.time_ns/n]])},Oo=({report:e})=>Co(To(e),[[`Rank`,e=>e.rank],[`Host`,e=>e.host],[`End`,Eo],[`Last call`,e=>e.in_flight.map(({call:e,site:t})=>t?`${e} ${t}`:e).join(`; `)]]),ko=({report:e})=>Co(e?.explanation?.findings??[],[[`Finding`,e=>e.id],[`Title`,e=>e.title],[`Cost`,e=>e.cost_ns,`ns`],[`Share of rank time`,e=>e.share],[`Saves`,e=>e.savable_ns,`ns`],[`Caused by`,e=>e.caused_by],[`Confidence`,e=>e.confidence],[`Ranks`,e=>Jt(e.ranks)],[`Ranks that cause it`,e=>Jt(e.cause_ranks)],[`Text`,e=>e.text],[`Advice`,e=>e.advice]]),Ao=({report:e})=>{let t=(e?.checks?.findings??[]).filter(e=>!e.suppressed).flatMap(e=>(e.parties.length?e.parties:[null]).map(t=>({finding:e,call:t}))),n=e=>({finding:t})=>e(t),r=e=>({call:t})=>t&&e(t);return Co(t,[[`Finding`,n(e=>e.id)],[`Severity`,n(e=>e.severity)],[`Confidence`,n(e=>e.confidence)],[`Title`,n(e=>e.title)],[`Times`,n(e=>e.count)],[`Rank`,r(e=>e.rank)],[`Function`,r(e=>e.function)],[`Role`,r(e=>e.role)],[`File`,r(e=>e.file)],[`Line`,r(e=>e.line)],[`Moment`,r(e=>e.at_ns),`ns`],[`Text`,n(e=>e.text)],[`Advice`,n(e=>e.advice)],[`MPI-5.0 section`,n(e=>e.section)]])},jo={functions:{title:`functions by time in MPI`,table:Do},ends:{title:`how ranks ended`,table:Oo},findings:{title:`findings`,table:ko},checks:{title:`findings of the check`,table:Ao}}}));function No(e,t,n){let r=Ur(e,t);return r?n===`csv`?!(t in jo)||r.table()!==null:r.picture!==void 0:!1}var Po,Fo,Io=t((()=>{Mo(),cl(),Qr(),Kr(),Po=[{id:`timeline`,title:`the timeline`,view:()=>`timeline`,name:()=>`Timeline`},...[`left`,`right`].map(e=>({id:e,title:`the ${e} pane`,view:t=>t.store.state[e],name:t=>rl(t.store.state[e]).title})),...Object.entries(jo).map(([e,{title:t}])=>({id:e,title:t,view:()=>e,name:()=>t}))],Fo=Po.flatMap(({id:e,title:t,view:n,name:r})=>Wr.filter(t=>t===`csv`||!(e in jo)).map(i=>({id:`save-${e}-${i}`,title:`Save ${t} as ${i.toUpperCase()}`,group:`Page`,keys:[],when:e=>No(e,n(e),i),run:e=>void Xr(e,n(e),i,r(e))})))}));function Lo(e,t,n){let r={at:-1,ns:-1};for(let i=0;i<e.length;i++){let a=e.start_ns[i],o=Math.min(a+e.duration_ns[i],n)-Math.max(a,t);o>r.ns&&(r={at:i,ns:o})}return r}async function Ro(e,t){let{filter:n,order:r}=e.store.state,{row_from:i,row_until:a}=e.window,[o,s]=[Math.round(e.window.from),Math.round(e.window.until)];for(let c=zo;;c=Math.min(Vo,c*Bo)){let l=await e.client.calls({...n,from:o,until:s,row_from:Math.floor(i),row_until:Math.ceil(a),order:r,limit:c},t),{at:u,ns:d}=Lo(l,o,s);if(u<0)return null;let f=l.duration_ns.reduce((e,t)=>Math.min(e,t),1/0);if(!l.head.is_cut||d>=f||c===Vo)return{rank:l.rank[u],row:l.row[u],start_ns:l.start_ns[u],end_ns:l.start_ns[u]+l.duration_ns[u]}}}var zo,Bo,Vo,Ho=t((()=>{zo=64,Bo=16,Vo=2e5}));async function Uo(e,t,n,r){let i=e.store.state.selection;if(t===`longer`)return e.client.step(i,t,n,{than_ns:(await e.selected())?.duration_ns??0},r);let a=t===`rank`?Ri({...e.store.state,filter:ul},e.run?.functions??[]):null;return e.client.step(i,a?`functions`:t,n,a?{functions:a}:{},r)}function Wo(e,t,n){let r=``;e.goTo(async i=>{if(!e.store.state.selection)return r=Yo,Ro(e,i);let a=await t();return r=`There is no ${n} call ${Jo[a]}.`,Uo(e,a,n,i)},()=>r)}function Go(e,t){Wo(e,async()=>{let t=await e.selected();return t?.collective&&!t.messages.length?`collective`:`message`},t)}function Ko(e){return{when:e=>e.run!==null&&e.run.state!==`failed`&&e.store.state.page===`views`,run:t=>t.run?.state===`ready`?e(t):t.say(`Steps from call to call are available once the run is loaded.`)}}function qo(e,t,n,r,i){return{id:e,title:t,group:`Step`,keys:i,...Ko(e=>Xo(e,n,r))}}var Jo,Yo,Xo,Zo,Qo=t((()=>{Vi(),ml(),Ho(),Jo={rank:`on this rank`,functions:`of the functions that are shown`,function:`of the same function`,comm:`on the same communicator`,message:`at the other end of a message`,collective:`in the same collective operation`,longer:`that takes longer`,site:`from the same call site`},Yo=`No calls are visible.`,Xo=(e,t,n)=>Wo(e,()=>t,n),Zo=[qo(`next`,`Next call on the rank`,`rank`,`next`,[{code:`Period`}]),qo(`previous`,`Previous call on the rank`,`rank`,`previous`,[{code:`Comma`}]),{...qo(`along-next`,`Other end of the message, or next member of the collective operation`,`message`,`next`,[{code:`BracketRight`}]),...Ko(e=>Go(e,`next`))},{...qo(`along-previous`,`Other end of the message, or previous member of the collective operation`,`message`,`previous`,[{code:`BracketLeft`}]),...Ko(e=>Go(e,`previous`))},qo(`next-function`,`Next call of the same function`,`function`,`next`,[{code:`KeyG`}]),qo(`previous-function`,`Previous call of the same function`,`function`,`previous`,[{code:`KeyG`,shift:!0}]),qo(`next-comm`,`Next call on the same communicator`,`comm`,`next`,[{code:`KeyC`}]),qo(`previous-comm`,`Previous call on the same communicator`,`comm`,`previous`,[{code:`KeyC`,shift:!0}]),qo(`next-site`,`Next call from the same call site`,`site`,`next`,[{code:`KeyE`}]),qo(`previous-site`,`Previous call from the same call site`,`site`,`previous`,[{code:`KeyE`,shift:!0}]),qo(`next-longer`,`Next call that takes longer`,`longer`,`next`,[{code:`KeyN`}]),qo(`previous-longer`,`Previous call that takes longer`,`longer`,`previous`,[{code:`KeyN`,shift:!0}]),{id:`longest`,title:`Longest visible call`,group:`Step`,keys:[{code:`KeyL`}],...Ko(e=>void e.goTo(t=>Ro(e,t),Yo))}]}));function $o(e){let t=e.detail?.region;return t?e.run?.regions.find(e=>e.name===t)?.id??null:null}function es(e,t){let{twins:n}=e.store.state;e.store.set({twins:n.includes(t)?n.filter(e=>e!==t):[...n,t].sort()})}var ts,ns,rs,is,as,os,ss,cs,ls,us,ds,fs=t((()=>{F(),cl(),Mi(),Vi(),ml(),Ui(),Gi(),Sa(),Ja(),Za(),So(),Io(),Qo(),ts=e=>e.store.state.page===`views`,ns={messages:[`Message arrows`,`KeyM`],rma:[`RMA arrows`,`KeyM`,!0],collectives:[`Lines through collective operations`,`KeyK`],waits:[`Hatched waits`,`KeyH`],path:[`Critical path`,`KeyP`],regions:[`Program regions`,`KeyR`]},rs=e=>ns[e][0],is=ll.map(e=>({id:`layer-${e}`,title:`${ns[e][0]}: on or off`,group:`Show`,keys:[{code:ns[e][1],...ns[e][2]?{shift:!0}:{}}],when:ts,run:t=>{let{layers:n}=t.store.state,r=n.includes(e);t.store.set({layers:ll.filter(t=>t===e?!r:n.includes(t))}),t.say(`${ns[e][0]}: ${r?`off`:`on`}.`)}})),as=[`left`,`right`].flatMap(e=>tl.map(t=>({id:`${e}-${t.id}`,title:`${t.title} in the ${e} pane`,group:`Panes`,keys:[{...t.key,alt:!0,shift:e===`right`}],when:e=>!sl(t,e.comparison.isTwo),run:n=>n.store.set({page:`views`,[e]:t.id})}))),os=[{id:`rank`,title:`By rank`,order:``},{id:`wait`,title:`By waiting time`,order:`sort:wait`},{id:`mpi`,title:`By time in MPI`,order:`sort:mpi`},{id:`computing`,title:`By computing time`,order:`sort:computing`},{id:`bytes`,title:`By bytes`,order:`sort:bytes`},{id:`calls`,title:`By calls`,order:`sort:calls`},{id:`host`,title:`Grouped by host`,order:`group:host`},{id:`host-wait`,title:`Grouped by host, by waiting time`,order:`group:host;sort:wait`}],ss=(e,t)=>e.store.set({page:`views`,order:t,row_from:null,row_until:null,area:null}),cs=[...os.map(({id:e,title:t,order:n})=>({id:`order-${e}`,title:`Order of ranks: ${t.toLowerCase()}`,group:`Order of ranks`,keys:[],run:e=>ss(e,[`ranks`,`pin`].reduce((t,n)=>Y(t,n,J(e.store.state.order,n)),n))})),{id:`order-function`,title:`Order of ranks: by time in the selected call's function`,group:`Order of ranks`,keys:[],when:e=>e.detail!==null,run:e=>ss(e,Y(e.store.state.order,`sort`,`function:${e.detail.function_id}`))},{id:`order-region`,title:`Order of ranks: by time in the selected call's region`,group:`Order of ranks`,keys:[],when:e=>$o(e)!==null,run:e=>ss(e,Y(e.store.state.order,`sort`,`region:${$o(e)}`))},{id:`pin`,title:`Pin or unpin the selected call's rank at the top`,group:`Order of ranks`,keys:[{code:`KeyI`}],when:e=>ts(e)&&e.store.state.selection!==null,run:e=>{let{order:t,selection:n}=e.store.state,r=n.rank,i=Xt(J(t,`pin`)??``,e.run.ranks.count)??[],a=i.includes(r)?i.filter(e=>e!==r):[...i,r];ss(e,Y(t,`pin`,a.length?Jt(a):null))}},{id:`only-area`,title:`Show only the ranks of the selected area`,group:`Order of ranks`,keys:[],when:e=>ts(e)&&e.store.state.area!==null&&e.store.state.area.row_from!==null,run:e=>{let{area:t,order:n}=e.store.state,r=Ni(e.order,e.run.ranks.count,t.row_from,t.row_until);r!==null&&ss(e,Y(n,`ranks`,r))}},{id:`all-ranks`,title:`Show all ranks`,group:`Order of ranks`,keys:[],when:e=>J(e.store.state.order,`ranks`)!==null,run:e=>ss(e,Y(e.store.state.order,`ranks`,null))}],ls=[{id:`find`,title:`Search calls`,group:`Select and filter`,keys:[{key:`/`}],run:e=>e.open(`find`)},{id:`clear`,title:`Clear selection: the area first, then the selected call and moment`,group:`Select and filter`,keys:[{code:`Escape`}],when:e=>e.store.state.area!==null||e.store.state.selection!==null||e.store.state.moment!==null,run:e=>e.store.set(e.store.state.area?{area:null}:{selection:null,moment:null})},{id:`clear-filter`,title:`Remove all filters`,group:`Select and filter`,keys:[{code:`Escape`,shift:!0}],when:e=>fl(e.store.state.filter)||e.store.state.hidden.length>0||e.store.state.skipped.length>0,run:e=>e.store.set({filter:ul,hidden:[],skipped:[]})},{id:`filter-function`,title:`Show only the function of the selected call`,group:`Select and filter`,keys:[{code:`KeyO`}],when:e=>e.detail!==null,run:e=>{e.store.set({filter:{...e.store.state.filter,functions:[e.detail.function_id]}})}},{id:`filter-rank`,title:`Show only the rank of the selected call`,group:`Select and filter`,keys:[{code:`KeyO`,shift:!0}],when:e=>e.store.state.selection!==null,run:e=>e.store.set({filter:{...e.store.state.filter,ranks:String(e.store.state.selection.rank)}})},{id:`select-window`,title:`Select the visible part as an area`,group:`Select and filter`,keys:[{code:`KeyX`}],when:e=>ts(e)&&e.run!==null,run:e=>{let{from:t,until:n,row_from:r,row_until:i}=e.window;e.store.set({area:{from:t,until:n,row_from:Math.floor(r),row_until:Math.ceil(i)}})}}],us=[{id:`overview`,title:`Overview`,group:`Page`,keys:[{code:`Digit1`}],run:e=>e.store.set({page:`overview`})},{id:`views`,title:`Timeline and views`,group:`Page`,keys:[{code:`Digit2`}],run:e=>e.store.set({page:`views`})},{id:`compare`,title:`Compare the two runs`,group:`Page`,keys:[{code:`Digit3`}],when:e=>e.comparison.isTwo,run:e=>e.store.set({page:`compare`})},{id:`other-run`,title:`Show the other run in the panes`,group:`Page`,keys:[{code:`KeyJ`}],when:e=>e.comparison.isTwo,run:e=>{e.comparison.show(+(e.side===0)),e.say(`The panes show the run “${Wi[e.comparison.about]}”.`)}},...[`init`,`start`].map(e=>({id:`align-${e}`,title:`Align both runs at ${e===`init`?`the end of MPI_Init`:`their start`}`,group:`Show`,keys:[],when:e=>e.comparison.isTwo,run:t=>t.comparison.store.set({align:{by:e}})})),{id:`align-iteration`,title:`Align both runs at the iteration in the middle of the view`,group:`Show`,keys:[],when:e=>e.comparison.isTwo&&e.comparison.apps.every(e=>e.run?.iterations),run:e=>{let t=(e.window.from+e.window.until)/2,{from_ns:n}=e.run.iterations,r=Math.max(0,n.findIndex((e,r)=>e<=t&&(n[r+1]??1/0)>t));e.comparison.store.set({align:{by:`iteration`,number:r}})}},{id:`align-selected`,title:`Align both runs at their selected calls`,group:`Show`,keys:[],when:e=>e.comparison.isTwo&&e.comparison.store.state.selection!==null&&e.comparison.store.state.other!==null,run:Hi},{id:`palette`,title:`Command palette`,group:`Page`,keys:[{code:`KeyP`,ctrl:!0,shift:!0},{code:`F1`}],run:e=>e.open(`palette`)},{id:`go-to`,title:`Go to a time, ranks or an iteration`,group:`Move`,keys:[{key:`:`},{key:`g`,ctrl:!0}],run:e=>e.open(`palette`)},{id:`help`,title:`Keyboard and mouse`,group:`Page`,keys:[{key:`?`}],run:e=>e.open(`help`)},{id:`theme`,title:`Dark or light theme`,group:`Page`,keys:[{code:`KeyT`}],run:e=>e.setTheme(e.theme===`dark`?`light`:`dark`)},{id:`single-keys`,title:`Single-key shortcuts: on or off`,group:`Page`,keys:[],run:e=>e.setSingleKeys(!e.hasSingleKeys)},{id:`copy-link`,title:`Copy a link to this view`,group:`Page`,keys:[{code:`KeyY`}],run:e=>{e.store.flush(),navigator.clipboard?.writeText(window.location.href).then(()=>e.say(`Link copied.`),()=>e.say(`The browser does not allow the page to copy the link; copy it from the address bar.`))}},{id:`bookmarks`,title:`Bookmarks: save this view, open another`,group:`Page`,keys:[{code:`KeyB`,shift:!0}],run:e=>e.open(`notes`)},{id:`export`,title:`Export this view as a self-contained page`,group:`Page`,keys:[{code:`KeyX`,shift:!0}],when:e=>!e.client.isExported&&e.run?.is_explained===!0,run:e=>void xa(e)},{id:`colouring`,title:`Colours by function or by class`,group:`Show`,keys:[{code:`KeyB`}],when:ts,run:e=>e.store.set({colouring:e.store.state.colouring===`class`?`function`:`class`})},{id:`scope`,title:`Panes: visible time or whole run`,group:`Show`,keys:[{code:`KeyU`}],when:ts,run:e=>e.store.set({scope:e.store.state.scope===`run`?`window`:`run`})},{id:`timeline-table`,title:`Timeline as a table or as a picture`,group:`Show`,keys:[{code:`KeyV`}],when:ts,run:e=>es(e,`timeline`)},{id:`reset`,title:`Reset view`,group:`Page`,keys:[],run:e=>e.store.set({...dl,page:e.store.state.page})}],ds=[...xo,...Zo,...ls,...is,...cs,...qa,...as,...Xa,...us,...Fo]})),ps,ms=t((()=>{w(),O(),R(),Ai(),Kr(),V(),W(),ps=class extends C{static{this.styles=[L,gr,l`
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
    `]}#e=null;constructor(){super(),new Gr(this,this)}drawOver(e){}keys(){return[]}paint(e){let t=ki(e);if(!t)return;let{c:n,width:r,height:i}=t;n.fillStyle=z[this.app.theme].panel,n.fillRect(0,0,r,i),this.hasPicture&&(this.draw(n,r,i),this.drawOver(n))}picture(){if(!this.hasPicture)return null;let e=this.renderRoot.querySelector(`.plot, mp-vtable`)??this,t=e.clientWidth||640,n=e.clientHeight||360;return{width:t,height:n,keys:this.keys(),draw:e=>this.draw(e,t,n)}}updated(){let e=this.renderRoot.querySelector(`canvas`);e&&(this.#e||(this.#e=new ResizeObserver(()=>{let e=this.renderRoot.querySelector(`canvas`);e&&this.paint(e),this.resized()}),this.#e.observe(this)),this.paint(e))}resized(){}disconnectedCallback(){super.disconnectedCallback(),this.#e?.disconnect(),this.#e=null}placeTip(e,t){let n=this.renderRoot.querySelector(`.tip`),r=this.renderRoot.querySelector(`.plot`);if(!n||!r)return;let i=e+14+n.offsetWidth>r.clientWidth?Math.max(0,e-n.offsetWidth-10):e+14,a=Math.max(0,Math.min(t+12,r.clientHeight-n.offsetHeight));n.style.transform=`translate(${Math.round(i)}px, ${Math.round(a)}px)`}},U([E({attribute:!1})],ps.prototype,`app`,void 0)})),hs,gs=t((()=>{w(),fs(),ms(),ti(),K(),hs=class extends ps{constructor(){super(),new G(this)}get isTwin(){return this.app.store.state.twins.includes(this.view)}twinButton(){return x`<button class="line" aria-label="As a table" aria-pressed=${this.isTwin} @click=${()=>es(this.app,this.view)}>Table</button>
      <mp-save .app=${this.app} view=${this.view}></mp-save>`}}}));function _s(e){try{return localStorage.getItem(e)}catch{return null}}function vs(e,t){try{localStorage.setItem(e,t)}catch{}}var ys=t((()=>{}));function bs(e,t){let n=_s(Ss+e);return n===null?t:n===`1`}function xs(){let{scatter:e,histogram:t}=dl;return{scatter:{...e,x_log:bs(e.x,e.x_log),y_log:bs(e.y,e.y_log)},histogram:{...t,is_log:bs(t.field,t.is_log)}}}var Ss,Cs,ws=t((()=>{ys(),ml(),Ss=`mpiscope.log.`,Cs=(e,t)=>vs(Ss+e,t?`1`:`0`)}));function Ts(e){return e?Ds(e)?` · fit ${k(Math.max(0,e.latency_ns))} + bytes ÷ ${Bt(e.bytes_per_ns*1e9)} (R² ${Lt(e.r2)})`:` · no line fits: R² ${Lt(e.r2)}${e.bytes_per_ns>0?` is below ${Es}`:`, but the slope is negative`}`:``}var Es,Ds,Os=t((()=>{F(),Es=.8,Ds=e=>e.bytes_per_ns>0&&e.r2>=Es})),ks=n({ScatterPane:()=>Is,inSight:()=>As});function As(e,t,n,r,{from:i,until:a}){let o=t===`start`||t===`end`;return{[`${e}_min`]:n??(o?i??null:null),[`${e}_max`]:r??(o?a??null:null)}}var js,Ms,Ns,Ps,Fs,Is,Ls=t((()=>{w(),O(),On(),Ti(),Nn(),Ln(),F(),fr(),Ai(),gs(),ws(),ui(),V(),Os(),W(),js=2e4,Ms=8,Ns=16,Ps={x_min:null,x_max:null,y_min:null,y_max:null},Fs=4,Is=class extends hs{constructor(...e){super(...e),this.view=`scatter`,this.#e=new Dn(this),this.drag=null,this.over=null,this.#t=null,this.#n=null,this.#r=null}#e;#t;#n;#r;#i(){let{app:e}=this;return(e.store.state.scatter.of===`messages`?e.run?.message_fields:e.run?.fields)??[]}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t=e.store.state.scatter,n=Math.max(64,Math.min(1024,Math.round((this.clientWidth||600)-90))),r=Math.max(48,Math.min(1024,Math.round((this.clientHeight||300)-82))),{scope:i}=e,a={...i,of:t.of,x:t.x,y:t.y,x_log:t.x_log,y_log:t.y_log,...As(`x`,t.x,t.x_min,t.x_max,i),...As(`y`,t.y,t.y_min,t.y_max,i),width:Math.ceil(n/2),height:Math.ceil(r/2),points:js};this.#e.update([a,e.growth],...An(e,a,(t,n)=>e.client.scatter(t,n)))}resized(){this.requestUpdate()}#a(e){let t=this.#i().find(t=>t.id===e.field),n={scale:{min:e.min,max:e.max,isLog:e.is_log},unit:t?.unit??``,title:t?.name??e.field,isMoment:e.field===`start`||e.field===`end`};return e.field===`function`&&(n.text=e=>this.app.names?.short(Math.round(e))??``),n}get hasPicture(){return!!this.#e.value?.total}keys(){let e=new Map;for(let t of this.#e.value?.points?.function??[])e.set(t,(e.get(t)??0)+1);return[...e.keys()].sort((t,n)=>e.get(n)-e.get(t)).slice(0,Ns).map(e=>({colour:I(this.app.colours.function(e)),text:this.app.names?.function(e)??``}))}draw(e,t,n){let r=this.#e.value,i=z[this.app.theme],a=Ei(t,n);this.#t=a;let o=this.#a(r.x),s=this.#a(r.y);Oi(e,a,o,s,i),e.save(),e.beginPath(),e.rect(a.left-Fs,a.top-Fs,a.width+8,a.height+8),e.clip(),r.density?this.#c(e,a,r):this.#o(e,a,r,o,s),this.#l(e,a,r,o,s),this.#u(e,a,r,o,s),e.restore()}drawOver(e){if(!this.drag)return;let{x0:t,y0:n,x1:r,y1:i}=this.drag,a=z[this.app.theme];e.strokeStyle=a.accent,e.lineWidth=1.5,e.fillStyle=a.shade,e.fillRect(Math.min(t,r),Math.min(n,i),Math.abs(r-t),Math.abs(i-n)),e.strokeRect(Math.min(t,r),Math.min(n,i),Math.abs(r-t),Math.abs(i-n))}#o(e,t,n,r,i){if(!(e instanceof CanvasRenderingContext2D)){this.#s(e,t,n,r,i);return}let a=devicePixelRatio||1,o=JSON.stringify([t,a,r,i,this.app.colours.key]);if(this.#n?.of!==n||this.#n.key!==o){let e=new OffscreenCanvas(Math.ceil((t.width+8)*a),Math.ceil((t.height+8)*a)),s=e.getContext(`2d`);s.setTransform(a,0,0,a,(Fs-t.left)*a,(Fs-t.top)*a),this.#s(s,t,n,r,i),this.#n={of:n,key:o,canvas:e}}let{canvas:s}=this.#n;e.drawImage(s,t.left-Fs,t.top-Fs,s.width/a,s.height/a)}#s(e,t,n,r,i){let a=n.points,o=a.x.length>6e3?2:3,s=new Map;for(let n=0;n<a.x.length;n++){let c=a.function[n],l=s.get(c);l||s.set(c,l=I(this.app.colours.function(c))),e.fillStyle!==l&&(e.fillStyle=l);let[u,d]=[vi(r.scale,a.x[n]),vi(i.scale,a.y[n])];if(u<0||u>1||d<0||d>1)continue;let f=t.left+u*t.width,p=t.top+(1-d)*t.height;e.fillRect(f-o/2,p-o/2,o,o)}}#c(e,t,n){let{app:r}=this;if(this.#r?.of!==n||this.#r.theme!==r.theme){let{width:e,height:t,count:i}=n.density,a=new ImageData(e,t),o=1;for(let e of i)o=Math.max(o,e);let s=Math.log(o+1);for(let n=0;n<t;n++)for(let o=0;o<e;o++){let c=i[n*e+o];if(!c)continue;let l=er(.25+.75*Math.log(c+1)/s,r.theme),u=((t-1-n)*e+o)*4;a.data[u]=l>>16,a.data[u+1]=l>>8&255,a.data[u+2]=l&255,a.data[u+3]=255}let c=new OffscreenCanvas(e,t);c.getContext(`2d`).putImageData(a,0,0),this.#r={of:n,theme:r.theme,canvas:c}}e.imageSmoothingEnabled=!1,e.drawImage(this.#r.canvas,t.left,t.top,t.width,t.height)}#l(e,t,n,r,i){let a=n.fit;if(a&&Ds(a)){e.strokeStyle=z[this.app.theme].path,e.lineWidth=1.5,e.setLineDash([5,3]),e.beginPath();for(let n=0;n<=60;n++){let o=yi(r.scale,n/60),s=t.left+n/60*t.width,c=t.top+(1-vi(i.scale,a.latency_ns+o/a.bytes_per_ns))*t.height;n===0?e.moveTo(s,c):e.lineTo(s,c)}e.stroke(),e.setLineDash([])}}#u(e,t,n,r,i){let{selection:a}=this.app.store.state,o=n.points;if(a&&o)for(let n=0;n<o.x.length;n++){if(o.rank[n]!==a.rank||o.row[n]!==a.row)continue;let s=t.left+vi(r.scale,o.x[n])*t.width,c=t.top+(1-vi(i.scale,o.y[n]))*t.height;e.strokeStyle=z[this.app.theme].selection,e.lineWidth=2,e.beginPath(),e.arc(s,c,6,0,7),e.stroke()}}#d(e,t){let n=this.#e.value,r=this.#t;if(!n?.points||!r)return-1;let i=this.#a(n.x).scale,a=this.#a(n.y).scale,o=-1,s=Ms**2;for(let c=0;c<n.points.x.length;c++){let l=r.left+vi(i,n.points.x[c])*r.width-e,u=r.top+(1-vi(a,n.points.y[c]))*r.height-t,d=l*l+u*u;d<s&&(s=d,o=c)}return o}#f(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#p(e){if(e.button!==0||!this.#t)return;let{x:t,y:n}=this.#f(e);e.currentTarget.setPointerCapture(e.pointerId),this.drag={x0:t,y0:n,x1:t,y1:n}}#m(e){let{x:t,y:n}=this.#f(e);if(this.drag)this.drag={...this.drag,x1:t,y1:n};else{let e=this.#d(t,n);this.over=e>=0?{x:t,y:n,index:e}:null}}#h(){let e=this.drag;if(this.drag=null,!e)return;if(Math.abs(e.x1-e.x0)<4&&Math.abs(e.y1-e.y0)<4){this.#g(this.#d(e.x1,e.y1));return}let t=this.#e.value,n=this.#t;if(!t||!n)return;let r=(e,t,n)=>Math.max(0,Math.min(1,(e-t)/n)),i=[e.x0,e.x1].map(e=>yi(this.#a(t.x).scale,r(e,n.left,n.width))).sort((e,t)=>e-t),a=[e.y0,e.y1].map(e=>yi(this.#a(t.y).scale,1-r(e,n.top,n.height))).sort((e,t)=>e-t);this.#_({x_min:i[0],x_max:i[1],y_min:a[0],y_max:a[1]})}#g(e){let t=this.#e.value?.points;if(!t||e<0)return;let n={rank:t.rank[e],row:t.row[e]};this.app.goTo(async e=>{let t=await this.app.client.call(n,e);return{...n,start_ns:t.start_ns,end_ns:t.start_ns+t.duration_ns}},`This call is no longer available.`)}#_(e){this.app.store.set({scatter:{...this.current(),...e}})}#v(e,t){let n=bs(t,this.current()[`${e}_log`]);this.#_({...e===`x`?{x:t,x_log:n}:{y:t,y_log:n},...Ps})}#y(e,t){Cs(this.current()[e],t),this.#_(e===`x`?{x_log:t}:{y_log:t})}current(){return this.app.store.state.scatter}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let e=this.current(),t=this.#e.value,n=e.x_min!==null||e.y_min!==null,r=this.#i().filter(e=>e.id!==`iteration`||this.app.run?.iterations),i=e=>r.map(t=>x`<option value=${t.id} ?selected=${t.id===e}>${t.name}</option>`),a=e=>this.#_({of:e,x:e===`messages`?`bytes`:`end`,y:`duration`,...Ps});return x`<div class="controls">
        <label>of <select aria-label="Of what" @change=${e=>a(e.target.value)}>
          ${[`calls`,`messages`].map(t=>x`<option value=${t} ?selected=${t===e.of}>${t}</option>`)}
        </select></label>
        <label>y <select aria-label="Vertical axis" @change=${e=>this.#v(`y`,e.target.value)}>${i(e.y)}</select></label>
        <label><input type="checkbox" aria-label="Vertical axis logarithmic" .checked=${e.y_log} @change=${e=>this.#y(`y`,e.target.checked)} />log</label>
        <label>x <select aria-label="Horizontal axis" @change=${e=>this.#v(`x`,e.target.value)}>${i(e.x)}</select></label>
        <label><input type="checkbox" aria-label="Horizontal axis logarithmic" .checked=${e.x_log} @change=${e=>this.#y(`x`,e.target.checked)} />log</label>
        ${n?x`<button class="line" @click=${()=>this.#_(Ps)}>All values</button>`:S}
        <span class="space"></span>
        <span class="muted">${t?this.#b(t):``}</span>
        ${this.twinButton()}
      </div>
      ${this.app.run?.state===`ready`?this.#e.error?Pn(this.#e.error):this.isTwin?this.#C():this.#x():Fn()}`}#b(e){let t=this.current().of;return`${M(e.total,t.slice(0,-1),t,Ht)}${e.form===`density`?`, density`:``}${kn(e.basis,this.#e.done,t)}${Ts(e.fit)}`}#x(){let e=this.#e.value,{app:t}=this,n=e?.points,r=this.over,i=e?`${this.#a(e.y).title} against ${this.#a(e.x).title} of ${M(e.total,this.current().of.slice(0,-1),this.current().of)}`:`Scatter plot`;return x`<div class="plot" role="group" aria-label="Scatter plot" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${i}
        @pointerdown=${e=>this.#p(e)}
        @pointermove=${e=>this.#m(e)}
        @pointerup=${()=>this.#h()}
        @pointerleave=${()=>this.over=null}
      ></canvas>
      ${e&&e.total===0?x`<p class="note">No ${this.current().of} have both values.</p>`:S}
      ${r&&n&&!this.drag?x`<div class="tip">
            <b>${t.names?.function(n.function[r.index])}</b> <span class="muted">rank ${t.worldRank(n.rank[r.index])}</span><br />
            ${this.#S(e.y,n.y[r.index])}; ${this.#S(e.x,n.x[r.index])}
          </div>`:S}
    </div>`}#S(e,t){let n=this.#a(e);return`${n.title.toLowerCase()} ${Di(n,t,1)}`}#C(){let e=this.#e.value,t=this.table();return x`<mp-vtable
      label=${e?.density?`Scatter plot as a table of densities`:`Scatter plot as a table; Enter shows the call in the timeline`}
      .columns=${t?.columns??[]}
      .count=${t?.count??0}
      .canActivate=${!e?.density}
      empty=${e?`No data.`:`…`}
      @activate=${e=>this.#g(e.detail)}
    ></mp-vtable>`}table(){let e=this.#e.value;if(!e)return null;let{app:t}=this,n=this.#a(e.x),r=this.#a(e.y);if(e.points){let i=e.points,a=(e,t)=>({id:e,title:t.title,isNumber:!0,width:`minmax(130px, 1fr)`,cell:n=>Di(t,i[e][n],1),...t.text?{}:{value:t=>i[e][t],unit:t.unit}});return{columns:[{id:`function`,title:`Function`,cell:e=>t.names?.function(i.function[e])??``},q(`rank`,`Rank`,e=>t.worldRank(i.rank[e]),String),a(`x`,n),a(`y`,r)],count:i.x.length}}let i=e.density,a=[];i.count.forEach((e,t)=>e&&a.push(t)),a.sort((e,t)=>i.count[t]-i.count[e]);let o=(e,t,n,r)=>{let i=e=>yi(t.scale,n(a[e])/r);return{id:e,title:t.title,name:`${t.title} from`,isNumber:!0,width:`minmax(190px, 2fr)`,cell:e=>`${Di(t,i(e),1e3)} – ${Di(t,yi(t.scale,(n(a[e])+1)/r),1e3)}`,value:i,unit:t.unit}};return{columns:[q(`count`,`Calls`,e=>i.count[a[e]],j),o(`x`,n,e=>e%i.width,i.width),o(`y`,r,e=>Math.floor(e/i.width),i.height),{id:`function`,title:`Most frequent`,cell:e=>t.names?.function(i.function[a[e]])??``}],count:a.length}}},U([D()],Is.prototype,`drag`,void 0),U([D()],Is.prototype,`over`,void 0),Is=U([T(`mp-scatter`)],Is)})),Rs=n({HistogramPane:()=>Vs,brush:()=>zs});function zs(e,t,n){return e===`duration`?{duration_min:Math.floor(t),duration_max:Math.ceil(n)}:e===`bytes`?{bytes_min:Math.ceil(t),bytes_max:Math.floor(n)}:e===`rank`?{ranks:`${Math.max(0,Math.ceil(t))}-${Math.max(0,Math.floor(n))}`}:e===`start`||e===`end`?`time`:null}var Bs,Vs,Hs=t((()=>{w(),O(),On(),Ti(),Nn(),Ln(),F(),fr(),Ai(),gs(),ws(),ui(),V(),W(),Bs=120,Vs=class extends hs{constructor(...e){super(...e),this.view=`histogram`,this.#e=new Dn(this),this.#t=new Dn(this),this.drag=null,this.over=null,this.#n=null}#e;#t;#n;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{field:t,is_log:n,of:r}=e.store.state.histogram,{area:i}=e.store.state,a={...e.ground,of:r,field:t,is_log:n,bins:Bs};this.#e.update([a,e.growth],...An(e,a,(t,n)=>e.client.histogram(t,n)));let o=this.#e.value;if(i&&o&&o.field===t&&o.max>o.min){let n={...e.scope,of:r,field:t,is_log:o.is_log,min:o.min,max:o.max,bins:o.counts.length};this.#t.update(n,...An(e,n,(t,n)=>e.client.histogram(t,n)))}}#r(e){let{run:t}=this.app,n=(this.app.store.state.histogram.of===`messages`?t?.message_fields:t?.fields)?.find(t=>t.id===e.field),r={scale:{min:e.min,max:e.max,isLog:e.is_log},unit:n?.unit??``,title:n?.name??e.field,isMoment:e.field===`start`||e.field===`end`};return e.field===`function`&&(r.text=e=>this.app.names?.short(Math.round(e))??``),r}#i(e){let t=1;for(let n of e.counts)t=Math.max(t,n);return{scale:{min:0,max:t*1.05,isLog:!1},unit:``,title:this.app.store.state.histogram.of===`messages`?`Messages`:`Calls`,isMoment:!1,text:Ht}}get hasPicture(){return!!this.#e.value?.total}keys(){return this.app.store.state.area?[{colour:z[this.app.theme].absent,text:`all`},{colour:I(Zn(`completion`,this.app.theme)),text:`selected area`}]:[]}draw(e,t,n){let r=this.#e.value,{app:i}=this,a=z[i.theme],o=Ei(t,n);this.#n=o;let s=this.#r(r),c=this.#i(r);Oi(e,o,s,c,a);let l=i.store.state.area!==null,u=(t,n)=>{e.fillStyle=n;let r=t.counts.length;t.counts.forEach((t,n)=>{if(!t)return;let i=o.left+n/r*o.width,a=Math.max(1.5,vi(c.scale,t)*o.height);e.fillRect(i,o.top+o.height-a,Math.max(1,o.width/r-.6),a)})};u(r,l?a.absent:I(Zn(`send`,i.theme)));let d=this.#t.value;l&&d&&d.field===r.field&&d.min===r.min&&u(d,I(Zn(`completion`,i.theme)))}drawOver(e){let{drag:t}=this,n=this.#n;if(!t||!n)return;let r=z[this.app.theme],[i,a]=[Math.min(t.x0,t.x1),Math.max(t.x0,t.x1)];e.fillStyle=r.shade,e.fillRect(i,n.top,a-i,n.height),e.strokeStyle=r.accent,e.strokeRect(i,n.top,a-i,n.height)}#a(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#o(e){let{x:t,y:n}=this.#a(e),r=this.#e.value;if(this.drag)this.drag={...this.drag,x1:t};else if(r&&this.#n){let e=Math.floor((t-this.#n.left)/this.#n.width*r.counts.length);this.over=e>=0&&e<r.counts.length?{x:t,y:n,bin:e}:null}}#s(){let e=this.drag;this.drag=null;let t=this.#e.value,n=this.#n;if(!e||!t||!n||Math.abs(e.x1-e.x0)<4)return;let r=this.#r(t).scale,i=e=>yi(r,Math.max(0,Math.min(1,(e-n.left)/n.width)));this.#c(i(Math.min(e.x0,e.x1)),i(Math.max(e.x0,e.x1)))}#c(e,t){let{app:n}=this,{field:r}=n.store.state.histogram,i=zs(r,e,t);i===`time`?n.store.set({area:{from:Math.floor(e),until:Math.max(Math.ceil(t),Math.floor(e)+1),row_from:null,row_until:null}}):i?n.store.set({filter:{...n.store.state.filter,...i}}):n.say(`Calls cannot be filtered by this field.`)}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}#l(e){let{store:t}=this.app,{is_log:n,of:r}=t.state.histogram;t.set({histogram:{field:e,is_log:bs(e,n),of:r}})}#u(e){let{store:t}=this.app;Cs(t.state.histogram.field,e),t.set({histogram:{...t.state.histogram,is_log:e}})}render(){let{app:e}=this,{field:t,is_log:n,of:r}=e.store.state.histogram,i=this.#e.value,a=((r===`messages`?e.run?.message_fields:e.run?.fields)??[]).filter(t=>t.id!==`iteration`||e.run?.iterations);return x`<div class="controls">
        <label>of <select aria-label="Of what" @change=${t=>e.store.set({histogram:{field:`duration`,is_log:n,of:t.target.value}})}>
          ${[`calls`,`messages`].map(e=>x`<option value=${e} ?selected=${e===r}>${e}</option>`)}
        </select></label>
        <label>field
          <select aria-label="Field" @change=${e=>this.#l(e.target.value)}>
            ${a.map(e=>x`<option value=${e.id} ?selected=${e.id===t}>${e.name}</option>`)}
          </select></label>
        <label><input type="checkbox" .checked=${n} @change=${e=>this.#u(e.target.checked)} />log</label>
        <span class="space"></span>
        <span class="muted">${i?`${Ht(i.total)} ${r}${kn(i.basis,this.#e.done,r)}`:``}${e.store.state.area?`, selected area highlighted`:``}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?Pn(this.#e.error):this.isTwin?this.#p():this.#d():Fn()}`}#d(){let e=this.#e.value,t=this.over,n=e?this.#r(e):null,r=t=>Di(n,e.edges[t],1e3);return x`<div class="plot" role="group" aria-label="Histogram" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${e?`Histogram of ${n.title.toLowerCase()} of ${M(e.total,`call`)}`:`Histogram`}
        @pointerdown=${e=>{e.currentTarget.setPointerCapture(e.pointerId);let t=this.#a(e).x;this.drag={x0:t,x1:t}}}
        @pointermove=${e=>this.#o(e)}
        @pointerup=${()=>this.#s()}
        @pointerleave=${()=>this.over=null}
      ></canvas>
      ${e&&e.total===0?x`<p class="note">None of these calls has this value.</p>`:S}
      ${t&&e&&!this.drag?x`<div class="tip number">${r(t.bin)} – ${r(t.bin+1)}<br />${M(e.counts[t.bin],`call`)}, ${k(e.time_ns[t.bin])}</div>`:S}
    </div>`}#f(e){return e.counts.map((e,t)=>t).filter(t=>e.counts[t])}table(){let e=this.#e.value;if(!e)return null;let t=this.#f(e),n=this.#r(e),r=n=>r=>e.edges[t[r]+n];return{columns:[{id:`from`,title:`From`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>Di(n,r(0)(e),1e3),value:r(0),unit:n.unit},{id:`until`,title:`Until`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>Di(n,r(1)(e),1e3),value:r(1),unit:n.unit},q(`count`,this.#i(e).title,n=>e.counts[t[n]],j),q(`time`,`Time`,n=>e.time_ns[t[n]],k,{unit:`ns`})],count:t.length}}#p(){let e=this.#e.value,t=e?this.#f(e):[];return x`<mp-vtable
      label="Histogram as a table; Enter filters by the row"
      .columns=${this.table()?.columns??[]}
      .count=${t.length}
      @activate=${n=>e&&this.#c(e.edges[t[n.detail]],e.edges[t[n.detail]+1])}
    ></mp-vtable>`}},U([D()],Vs.prototype,`drag`,void 0),U([D()],Vs.prototype,`over`,void 0),Vs=U([T(`mp-histogram`)],Vs)})),Us=n({MatrixPane:()=>qs,valueOf:()=>Ws});function Ws(e,t,n){switch(n){case`count`:return e.count[t];case`mean`:return e.count[t]>0?e.bytes[t]/e.count[t]:0;case`latency`:return e.latency_ns[t];case`longest`:return e.longest_ns[t];default:return e.bytes[t]}}var Gs,Ks,qs,Js=t((()=>{w(),O(),On(),Nn(),Ln(),F(),fr(),gs(),Vi(),ui(),V(),W(),Gs=[{id:`bytes`,title:`Bytes`,text:A,unit:`bytes`},{id:`count`,title:`Messages`,text:j,unit:``},{id:`mean`,title:`Mean size`,text:A,unit:`bytes`},{id:`latency`,title:`Mean time in flight`,text:k,unit:`ns`},{id:`longest`,title:`Longest time in flight`,text:k,unit:`ns`}],Ks=256,qs=class extends hs{constructor(...e){super(...e),this.view=`matrix`,this.#e=new Dn(this),this.over=null,this.#t=null,this.#n=null}static{this.styles=[...hs.styles,l`
      .controls select[aria-label="Communicator"] {
        max-width: 144px;
      }
    `]}#e;#t;#n;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by:t,comm:n}=e.store.state.matrix,r={...Ii(e.store.state,e.window),comm:n??e.store.state.filter.comm,by:t,blocks:Ks};this.#e.update([r,e.growth],...An(e,r,(t,n)=>e.client.matrix(t,n)))}#r(e,t){let n=this.#e.value;if(!n)return-1;if(this.#n?.of!==n){let e=new Map;for(let t=0;t<n.sender.length;t++)e.set(n.sender[t]*n.rows+n.receiver[t],t);this.#n={of:n,at:e}}return this.#n.at.get(e*n.rows+t)??-1}get hasPicture(){return!!this.#e.value?.rows}draw(e,t,n){let r=this.#e.value,{app:i}=this,a=z[i.theme],o=Math.min(t-84-120,n-30-12),s=Math.max(.5,Math.min(40,o/r.rows));this.#t={left:84,top:30,size:s};let c=s*r.rows;e.fillStyle=a.faint,e.fillRect(84,30,c,c);let{value:l}=i.store.state.matrix,u=0;for(let e=0;e<r.sender.length;e++)u=Math.max(u,Ws(r,e,l));let d=+(s>6);for(let t=0;t<r.sender.length;t++)e.fillStyle=I(er(.18+.82*(u>0?Ws(r,t,l)/u:0),i.theme)),e.fillRect(84+r.receiver[t]*s,30+r.sender[t]*s,Math.max(1,s-d),Math.max(1,s-d));e.strokeStyle=a.line,e.lineWidth=1,e.strokeRect(83.5,29.5,c+1,c+1),this.#i(e,r,{left:84,top:30,size:s}),this.#a(e,{x:84+c+18,y:30,h:Math.min(c,160)},u,Gs.find(e=>e.id===l).text)}drawOver(e){let{over:t}=this;if(!t||!this.#t)return;let{left:n,top:r,size:i}=this.#t;e.strokeStyle=z[this.app.theme].accent,e.lineWidth=2,e.strokeRect(n+t.receiver*i,r+t.sender*i,Math.max(2,i),Math.max(2,i))}#i(e,t,{left:n,top:r,size:i}){let a=z[this.app.theme];e.font=B,e.fillStyle=a.muted;let o=Math.max(1,Math.ceil(14/i)),s=Math.max(1,Math.ceil(24/i)),c=t.labels.every(e=>e.length<=5);for(let a=0;a<t.rows;a++){let l=t.labels[a]??String(a);a%o===0&&(e.textAlign=`right`,e.textBaseline=`middle`,e.fillText(l,n-5,r+(a+.5)*i,n-22)),a%s===0&&c&&(e.textAlign=`center`,e.textBaseline=`bottom`,e.fillText(l,n+(a+.5)*i,r-3))}e.fillStyle=a.text,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(`receiver →`,n,3),e.save(),e.translate(9,r),e.rotate(-Math.PI/2),e.textAlign=`right`,e.textBaseline=`middle`,e.fillText(`← sender`,0,0),e.restore()}#a(e,t,n,r){let i=z[this.app.theme];for(let n=0;n<t.h;n++)e.fillStyle=I(er(.18+.82*(1-n/t.h),this.app.theme)),e.fillRect(t.x,t.y+n,12,1.5);e.fillStyle=i.muted,e.font=B,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(r(n),t.x+17,t.y),e.textBaseline=`bottom`,e.fillText(`0`,t.x+17,t.y+t.h)}#o(e){let t=this.#e.value,n=this.#t;if(!t||!n)return null;let r=this.renderRoot.querySelector(`.plot`).getBoundingClientRect(),i=e.clientX-r.left,a=e.clientY-r.top,o=Math.floor((i-n.left)/n.size),s=Math.floor((a-n.top)/n.size);return s<0||o<0||s>=t.rows||o>=t.rows?null:{x:i,y:a,sender:s,receiver:o}}#s(e,t){let n=this.#e.value,{app:r}=this;if(!n||!r.run)return;let{filter:i,matrix:a}=r.store.state;if(a.by===`host`){let n=r.run.ranks.host.flatMap((e,n)=>e===t?[n]:[]);r.store.set({filter:{...i,host:e,peer:null,peers:Jt(n)}});return}let o=Math.max(1,n.ranks_per_block),s=r.run.ranks.count-1,c=e=>`${e*o}-${Math.min(s,(e+1)*o-1)}`,l=o===1?{ranks:String(e),peer:t,peers:null}:{ranks:c(e),peer:null,peers:c(t)};r.store.set({filter:{...i,...l}})}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let{app:e}=this,t=e.store.state.matrix,n=e.run?.communicators??[],r=t=>e.store.set({matrix:{...e.store.state.matrix,...t}});return x`<div class="controls">
        <label>show
          <select aria-label="Value" @change=${e=>r({value:e.target.value})}>
            ${Gs.map(e=>x`<option value=${e.id} ?selected=${e.id===t.value}>${e.title}</option>`)}
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
        <span class="muted">${kn(this.#e.value?.basis,this.#e.done,`messages`).replace(/^ · /,``)}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?Pn(this.#e.error):this.isTwin?this.#u():this.#c():Fn()}`}#c(){let e=this.#e.value,t=this.over,n=t?this.#r(t.sender,t.receiver):-1;return x`<div class="plot" role="group" aria-label="Communication matrix" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${e?`Communication matrix of ${e.rows} rows, ${j(e.sender.length)} pairs that exchange messages`:`Communication matrix`}
        @pointermove=${e=>this.over=this.#o(e)}
        @pointerleave=${()=>this.over=null}
        @click=${e=>{let t=this.#o(e);t&&this.#s(t.sender,t.receiver)}}
      ></canvas>
      ${e&&!e.sender.length?x`<p class="note">No messages.</p>`:S}
      ${t&&e?x`<div class="tip number">
            <b>${e.labels[t.sender]} → ${e.labels[t.receiver]}</b><br />
            ${n<0?`no messages`:x`${M(e.count[n],`message`)}, ${A(e.bytes[n])}<br />mean ${k(e.latency_ns[n])}, longest
                  ${k(e.longest_ns[n])}`}
          </div>`:S}
    </div>`}#l(e){let{value:t}=this.app.store.state.matrix;return Array.from(e.sender,(e,t)=>t).sort((n,r)=>Ws(e,r,t)-Ws(e,n,t))}table(){let e=this.#e.value;if(!e)return null;let t=this.#l(e);return{columns:[{id:`sender`,title:`Sender`,isNumber:!0,cell:n=>e.labels[e.sender[t[n]]]??``},{id:`receiver`,title:`Receiver`,isNumber:!0,cell:n=>e.labels[e.receiver[t[n]]]??``},...Gs.map(n=>q(n.id,n.title,r=>Ws(e,t[r],n.id),n.text,{width:`minmax(110px, 1fr)`,unit:n.unit}))],count:t.length}}#u(){let e=this.#e.value,t=e?this.#l(e):[];return x`<mp-vtable
      label="Communication matrix as a table; Enter filters by the row"
      .columns=${this.table()?.columns??[]}
      .count=${t.length}
      @activate=${n=>e&&this.#s(e.sender[t[n.detail]],e.receiver[t[n.detail]])}
    ></mp-vtable>`}},U([D()],qs.prototype,`over`,void 0),qs=U([T(`mp-matrix`)],qs)})),Ys=n({EventsPane:()=>Zs}),Xs,Zs,Qs=t((()=>{w(),O(),On(),Ln(),R(),F(),ti(),Kr(),ui(),K(),W(),Xs=5e3,Zs=class extends C{static{this.styles=[L,gr,vr]}#e;#t;constructor(){super(),this.view=`events`,this.#e=new Dn(this),this.#t=``,new G(this),new Gr(this,this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t={...e.scope,limit:Xs};this.#e.update([t,e.growth],n=>e.client.calls(t,n))}#n(e){let{selection:t}=this.app.store.state,n=this.#e.value;return!!n&&!!t&&n.rank[e]===t.rank&&n.row[e]===t.row}updated(){let{selection:e}=this.app.store.state,t=this.#e.value,n=`${e?.rank}:${e?.row}:${t?.length}`;if(e&&t&&n!==this.#t){this.#t=n;for(let e=0;e<t.length;e++)if(this.#n(e)){let t=this.renderRoot.querySelector(`mp-vtable`);t?.updateComplete.then(()=>t.reveal(e));return}}}table(){let{app:e}=this,t=this.#e.value;if(!t)return null;let n=(e,n)=>q(e,n,n=>t[e][n],e=>e?A(e):``,{unit:`bytes`}),r=e=>t.peer[e]>=0;return{columns:[q(`rank`,`Rank`,n=>e.worldRank(t.rank[n]),String,{width:`52px`}),q(`start`,`Start`,e=>t.start_ns[e],e=>P(e,1),{width:`minmax(128px, 1.2fr)`,unit:`ns`}),q(`duration`,`Duration`,e=>t.duration_ns[e],k,{width:`minmax(76px, 0.8fr)`,unit:`ns`}),{id:`function`,title:`Function`,width:`minmax(112px, 1.4fr)`,cell:n=>e.names?.function(t.function[n])??``},{id:`peer`,title:`Peer`,isNumber:!0,width:`52px`,cell:n=>r(n)?String(e.worldRank(t.peer[n])):``},{id:`tag`,title:`Tag`,isNumber:!0,width:`60px`,cell:e=>r(e)?String(t.tag[e]):``,value:e=>r(e)?t.tag[e]:null},n(`bytes_sent`,`Sent`),n(`bytes_received`,`Received`),{id:`comm`,title:`Communicator`,cell:n=>e.names?.comm(t.comm[n])??``},{id:`site`,title:`Called from`,width:`minmax(180px, 3fr)`,cell:n=>e.names?.site(t.site[n])??``}],count:t.length,total:t.head.total}}render(){let{app:e}=this,t=this.#e.value;return x`<div class="controls">
        <span class="muted">${t?t.head.is_cut?`the longest ${j(t.length)} of about ${Ht(t.head.total)} calls: zoom in or filter to see all`:M(t.length,`call`):`…`}</span>
        <span class="space"></span>
        <mp-save .app=${e} view=${this.view}></mp-save>
      </div>
      ${e.run?.state===`ready`?this.#e.error?Pn(this.#e.error):x`<mp-vtable
            label="Calls; Enter selects the call"
            aria-busy=${this.#e.isBusy}
            .columns=${this.table()?.columns??[]}
            .count=${t?.length??0}
            .isSelected=${e=>this.#n(e)}
            empty=${this.#e.isBusy?`…`:`No calls.`}
            @activate=${n=>{if(!t)return;let r=n.detail;this.#t=`${t.rank[r]}:${t.row[r]}:${t.length}`,e.show({rank:t.rank[r],row:t.row[r],start_ns:t.start_ns[r],end_ns:t.start_ns[r]+t.duration_ns[r]})}}
          ></mp-vtable>`:Fn()}`}},U([E({attribute:!1})],Zs.prototype,`app`,void 0),Zs=U([T(`mp-events`)],Zs)})),$s=n({DIFFERENCE_FIELDS:()=>ic,DifferencesPane:()=>lc,ratioText:()=>ec,signed:()=>oc,sortedRows:()=>tc});function ec(e){return e.before?e.after?e.ratio===null?`–`:Gt(e.ratio):`gone`:`new`}function tc(e,t,n){let r=cc[t]??cc.difference,i=(e,t)=>{let[n,i]=[r(e),r(t)];return typeof n==`string`?n.localeCompare(i,`en`,{numeric:!0}):n-i};return[...e].sort((e,t)=>(n?1:-1)*i(e,t))}function nc(e,t){let n=Math.max(e===0?0:.5,Math.abs(e)/t*20);return x`<svg width="42" height="10" viewBox="0 0 42 10" aria-hidden="true">
    <rect x=${e<0?21-n:21} y="1" width=${n} height="8" class=${e<0?`less`:`more`} fill=${e<0?`#2a78c2`:`#d3691a`}></rect>
    ${Me`<path d="M21 0V10" stroke="currentColor" stroke-opacity=".5"></path>`}
  </svg>`}function rc({iteration:e}){if(!e)return`–`;let{before_ns:t,after_ns:n,interval_ns:r}=e,i=r?`${oc(r[0],k)} to ${oc(r[1],k)}`:null;return x`<span title=${i??S}>${k(t)} → ${k(n)}</span>`}var ic,ac,oc,sc,cc,lc,uc=t((()=>{w(),O(),On(),Ln(),R(),hr(),F(),Vi(),si(),ui(),ti(),Kr(),K(),W(),ic=[{id:`function`,title:`Function`},{id:`site`,title:`Call site`},{id:`peer_class`,title:`Peer class`},{id:`size_bin`,title:`Size bin`},{id:`region`,title:`Region`},{id:`class`,title:`Class`},{id:`comm`,title:`Communicator`},{id:`rank`,title:`Rank`},{id:`iteration`,title:`Iteration`}],ac=2e3,oc=(e,t)=>e===0?`0`:`${e<0?`−`:`+`}${t(Math.abs(e))}`,sc={changed:`yes`,noise:`no`,unknown:`unknown`,same:`the same`},cc={text:e=>e.text,before_count:e=>e.before?.count??0,after_count:e=>e.after?.count??0,before_total:e=>e.before?.total_ns??0,after_total:e=>e.after?.total_ns??0,before_mean:e=>e.before?.mean_ns??0,after_mean:e=>e.after?.mean_ns??0,difference:e=>Math.abs(e.difference_ns),ratio:e=>e.after?e.ratio??1/0:0,iteration:e=>Math.abs((e.iteration?.after_ns??0)-(e.iteration?.before_ns??0))},lc=class extends C{static{this.styles=[L,gr,vr]}#e;constructor(){super(),this.view=`differences`,this.#e=new Dn(this),new G(this),new Gr(this,this)}get#t(){return this.app.comparison.apps}get#n(){return this.#t.length>1&&this.#t.every(e=>e.run?.state===`ready`)}willUpdate(){if(!this.#n)return;let[e,t]=this.#t,[n,r]=[e,t].map(e=>Ii(e.store.state,e.window)),{functions:i,tag:a,bytes_min:o,bytes_max:s,duration_min:c,duration_max:l}=this.app.store.state.filter,u={functions:i,tag:a,bytes_min:o,bytes_max:s,duration_min:c,duration_max:l,from:n.from,until:n.until,other_from:r.from,other_until:r.until,by:this.app.store.state.differences.by,limit:ac},d=this.#t.map(e=>e.run?.is_explained);this.#e.update([u,d,this.#t.map(e=>e.growth)],t=>e.client.differences(u,t))}#r(e){let{differences:t}=this.app.store.state,n=t.sort===e?!t.ascending:e===`text`;this.app.store.set({differences:{...t,sort:e,ascending:n}})}#i(e){let{comparison:t}=this.app,n=e[t.about===0?`before`:`after`]?t.about:+!e.before,r=this.#t[n],{by:i}=r.store.state.differences,a=(n===0?e.before:e.after)?.id??null,o=r.run?.classes??[],s=ni(i,{id:a,text:e.text},e=>(r.run?.functions??[]).filter(t=>t.class===o[e]?.id).map(e=>e.id));if(!s){r.say(`Calls cannot be filtered by this field.`);return}let c=e.function===null?{}:{functions:[e.function]};r.store.set({page:`views`,filter:{...r.store.state.filter,...s,...c}})}#a(){let{sort:e,ascending:t}=this.app.store.state.differences;return tc(this.#e.value?.rows??[],e,t)}table(){if(!this.#e.value)return null;let{app:e}=this,{by:t}=e.store.state.differences,n=this.#a(),r=n.reduce((e,t)=>Math.max(e,Math.abs(t.difference_ns)),1),i=(e,t,r,i,a={})=>({id:e,title:t,isNumber:!0,isSortable:!0,cell:e=>r(n[e]),value:e=>i(n[e]),...a});return{columns:[{id:`text`,title:ic.find(e=>e.id===t)?.title??t,isSortable:!0,width:t===`site`?`minmax(210px, 2.4fr)`:`minmax(130px, 1.5fr)`,cell:t=>n[t].function===null?n[t].text:x`${pr(e,n[t].function)} ${n[t].text}`,value:e=>n[e].text},i(`difference`,`Difference`,e=>x`${nc(e.difference_ns,r)} <b>${oc(e.difference_ns,k)}</b>`,e=>e.difference_ns,{unit:`ns`,width:`minmax(122px, 1.25fr)`,help:`Time in all ranks, after minus before`}),i(`ratio`,`Ratio`,ec,e=>e.ratio,{width:`minmax(58px, 0.6fr)`,help:`Time in all ranks, after divided by before`}),i(`before_total`,`Time before`,e=>e.before?k(e.before.total_ns):`–`,e=>e.before?.total_ns??null,{name:`Time before`,unit:`ns`}),i(`after_total`,`after`,e=>e.after?k(e.after.total_ns):`–`,e=>e.after?.total_ns??null,{name:`Time after`,unit:`ns`,help:`Time after`}),i(`before_count`,`Calls before`,e=>e.before?j(e.before.count):`–`,e=>e.before?.count??null,{name:`Calls before`}),i(`after_count`,`after`,e=>e.after?j(e.after.count):`–`,e=>e.after?.count??null,{name:`Calls after`,help:`Calls after`}),i(`before_mean`,`Mean before`,e=>e.before?k(e.before.mean_ns):`–`,e=>e.before?.mean_ns??null,{name:`Mean before`,unit:`ns`}),i(`after_mean`,`after`,e=>e.after?k(e.after.mean_ns):`–`,e=>e.after?.mean_ns??null,{name:`Mean after`,unit:`ns`,help:`Mean duration of a call after`}),i(`iteration`,`By iteration`,rc,e=>e.iteration?e.iteration.after_ns-e.iteration.before_ns:null,{name:`Difference of the median iteration`,unit:`ns`,width:`minmax(160px, 1.6fr)`,help:`Median of an iteration before and after. The tooltip shows the 95 % confidence interval of their difference, from the variation of iterations within one run`}),{id:`judgement`,title:`Beyond noise`,cell:e=>n[e].iteration?sc[n[e].iteration.judgement]:`–`,width:`minmax(90px, 0.9fr)`,help:`Whether the difference exceeds the variation of iterations within one run. For the variation between runs, repeat them and use mpiscope diff`}],count:n.length}}render(){let{app:e}=this,{by:t,sort:n,ascending:r}=e.store.state.differences,i=this.#e.value,a=this.#a(),o=e=>(e!==`iteration`||this.#t.every(e=>e.run?.iterations))&&(e!==`region`||this.#t.some(e=>e.run?.regions.length));return x`<div class="controls">
        <label>compare by
          <select
            aria-label="Compare by"
            @change=${t=>e.store.set({differences:{...e.store.state.differences,by:t.target.value}})}
          >
            ${ic.filter(e=>o(e.id)).map(e=>x`<option value=${e.id} ?selected=${e.id===t}>${e.title}</option>`)}
          </select></label>
        <span class="muted">${this.#o(i)}</span>
        <span class="space"></span>
        <span class="muted">${i?i.is_cut?`first ${j(i.rows.length)} of ${M(i.total,`group`)}`:M(i.total,`group`):``}</span>
        <mp-save .app=${e} view=${this.view}></mp-save>
      </div>
      ${this.#n?this.#e.error?Pn(this.#e.error):x`<mp-vtable
              label="Differences between the runs; Enter filters by the row"
              aria-busy=${this.#e.isBusy}
              .columns=${this.table()?.columns??[]}
              .count=${a.length}
              .sort=${{id:n,ascending:r}}
              empty=${this.#e.isBusy?`…`:`No calls.`}
              @sort=${e=>this.#r(e.detail)}
              @activate=${e=>a[e.detail]&&this.#i(a[e.detail])}
            ></mp-vtable>`:Fn()}`}#o(e){let{area:t,filter:n}=this.app.store.state,{from:r}=Ii(this.app.store.state,this.app.window),i=t?`selected time range`:r===null?`whole runs`:`visible time`,a=e&&!e.is_judged?`; noise unknown: not both runs have iterations`:``;return`${i}, all ranks${Object.values(n).some(e=>e!==null)?`; filtered by function, size, duration and tag only`:``}${a}`}},U([E({attribute:!1})],lc.prototype,`app`,void 0),lc=U([T(`mp-differences`)],lc)}));function dc(e,t,n){return e.values[t]?.subarray(n*e.columns,(n+1)*e.columns)??null}function fc(e,t){let n=0;for(let r of e.values[t]??[])n=Math.max(n,r);return n||1}function pc(e,t){let n=Math.floor((t-e.from_ns)/e.bin_ns);return n>=0&&n<e.columns?n:-1}var mc,hc,gc,_c=t((()=>{F(),mc=e=>e>=100||Number.isInteger(e)?j(Math.round(e)):Kt(e),hc={ranks_waiting:{title:`ranks waiting`,axis:`Ranks`,text:mc,unit:`ranks`},ranks_in_mpi:{title:`ranks in MPI`,axis:`Ranks`,text:mc,unit:`ranks`},calls_per_s:{title:`calls per second`,axis:`Calls per second`,text:e=>Ht(Math.round(e)),unit:`1/s`},sent_bytes_per_s:{title:`bytes sent per second`,axis:`Sent`,text:Bt,unit:`bytes/s`},messages_in_flight:{title:`messages in flight`,axis:`Messages`,text:mc,unit:`messages`},bytes_in_flight:{title:`bytes in flight`,axis:`Bytes`,text:A,unit:`bytes`}},gc=[`send`,`collective`,`completion`,`rma`,`file`,`receive`,`barrier`,`probe`]})),vc=n({CurvesPane:()=>yc}),yc,bc=t((()=>{w(),O(),On(),Ti(),Nn(),Ln(),hr(),F(),fr(),Ai(),gs(),en(),ui(),V(),_c(),W(),yc=class extends hs{constructor(...e){super(...e),this.view=`curves`,this.#e=new Dn(this),this.over=null,this.#t=null}static{this.styles=[...hs.styles,l`
      .controls select {
        max-width: 160px;
      }
    `]}#e;#t;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by_host:t}=e.store.state.curves,{from:n,until:r}=e.scope,i={...e.scope,from:n??e.run.from_ns,until:r??e.run.until_ns,by_host:t,columns:512},[a,o]=An(e,i,(t,n)=>e.client.curves(t,n));this.#e.update([i,e.growth],a,{...o,isSample:e=>e.has_finer||o.isSample(e)})}get#n(){return this.app.store.state.curves.field}#r(e){let{axis:t,text:n}=hc[this.#n],r=e.from_ns+e.columns*e.bin_ns;return{x:{scale:{min:e.from_ns,max:r,isLog:!1},unit:`ns`,title:`Time`,isMoment:!0},y:{scale:{min:0,max:fc(e,this.#n)*1.05,isLog:!1},unit:``,title:t,isMoment:!1,text:n}}}#i(e){return I(Zn(gc[e%gc.length],this.app.theme))}get hasPicture(){return this.#e.value!==null}keys(){let{hosts:e=[]}=this.#e.value??{};return e.length>1?e.map((e,t)=>({colour:this.#i(t),text:this.#c(t)})):[]}draw(e,t,n){let r=this.#e.value,{app:i}=this,a=z[i.theme],o=Ei(t,n);this.#t=o;let{x:s,y:c}=this.#r(r);Oi(e,o,s,c,a),e.save(),e.beginPath(),e.rect(o.left,o.top-1,o.width,o.height+2),e.clip(),e.lineWidth=1.5,e.lineJoin=`round`,r.hosts.forEach((t,n)=>{let i=dc(r,this.#n,n);i&&(e.strokeStyle=this.#i(n),e.beginPath(),i.forEach((t,n)=>{let i=o.top+(1-vi(c.scale,t))*o.height;e.lineTo(o.left+n/r.columns*o.width,i),e.lineTo(o.left+(n+1)/r.columns*o.width,i)}),e.stroke())});let{moment:l}=i.store.state;if(l!==null){let t=Math.round(o.left+vi(s.scale,l)*o.width);e.fillStyle=a.accent,e.fillRect(t,o.top,1,o.height)}e.restore()}#a(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#o(e){let t=this.#e.value,n=this.#t;return!t||!n||e<n.left||e>n.left+n.width?null:Math.round(yi(this.#r(t).x.scale,(e-n.left)/n.width))}#s(e){let{x:t,y:n}=this.#a(e),r=this.#o(t),i=r===null?-1:pc(this.#e.value,r);this.over=i<0?null:{x:t,y:n,bin:i}}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let{app:e}=this,{field:t,by_host:n}=e.store.state.curves,r=this.#e.value,i=(e.run?.hosts.length??0)>1;return x`<div class="controls">
        <label>of
          <select aria-label="Curve" @change=${t=>e.store.set({curves:{by_host:n,field:t.target.value}})}>
            ${$t.map(e=>x`<option value=${e} ?selected=${e===t}>${hc[e].title}</option>`)}
          </select></label>
        ${i?x`<label><input type="checkbox" .checked=${n} @change=${n=>e.store.set({curves:{field:t,by_host:n.target.checked}})} />per host</label>`:S}
        <span class="space"></span>
        <span class="muted">${r?`means over ${k(r.bin_ns)}${kn(r.basis,this.#e.done,`messages`)}${r.hosts_left_out?` · ${M(r.hosts_left_out,`more host`)} not drawn`:``}`:``}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?Pn(this.#e.error):this.isTwin?this.#u():this.#l():Fn()}`}#c(e){let t=this.#e.value?.hosts[e]??null;return t===null?`all ranks`:this.app.run?.hosts[t]??`host ${t}`}#l(){let e=this.#e.value,{over:t}=this,{title:n,text:r}=hc[this.#n],i=e!==null&&!e.values[this.#n];return x`<div class="plot" role="group" aria-label="Curves" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label="Curve of ${n} over time"
        @pointermove=${e=>this.#s(e)}
        @pointerleave=${()=>this.over=null}
        @click=${e=>{let t=this.#o(this.#a(e).x);t!==null&&this.app.store.set({moment:t})}}
      ></canvas>
      ${i?x`<p class="note">Waits carry no call arguments. Remove the filter to see which ranks wait.</p>`:S}
      ${t&&e?x`<div class="tip number">
            ${P(e.from_ns+t.bin*e.bin_ns,e.bin_ns)}
            ${e.hosts.map((n,i)=>{let a=dc(e,this.#n,i)?.[t.bin];return a===void 0?S:x`<br />${mr(this.#i(i))} ${e.hosts.length>1?`${this.#c(i)}: `:``}${r(a)}`})}
          </div>`:S}
    </div>`}table(){let e=this.#e.value,{title:t,text:n,unit:r}=hc[this.#n];if(!e)return null;let i=t=>e.from_ns+t*e.bin_ns;return{columns:[{id:`from`,title:`From`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:t=>P(i(t),e.bin_ns),value:i,unit:`ns`},...e.hosts.map((i,a)=>{let o=t=>dc(e,this.#n,a)?.[t]??null;return{id:`curve-${a}`,title:e.hosts.length>1?this.#c(a):t,isNumber:!0,width:`minmax(110px, 1fr)`,cell:e=>{let t=o(e);return t===null?``:n(t)},value:o,unit:r}})],count:e.columns}}#u(){let e=this.#e.value,t=this.table();return x`<mp-vtable
      label="Curve of ${hc[this.#n].title} as a table; Enter sets the moment"
      .columns=${t?.columns??[]}
      .count=${t?.count??0}
      @activate=${t=>e&&this.app.store.set({moment:Math.round(e.from_ns+(t.detail+.5)*e.bin_ns)})}
    ></mp-vtable>`}},U([D()],yc.prototype,`over`,void 0),yc=U([T(`mp-curves`)],yc)}));function xc(e){let t=new Map;for(let n of e.messages.stage){let r=e.head.stages[n];t.set(r,(t.get(r)??0)+1)}let n=e.head.stages.filter(e=>t.has(e)).map(e=>`${j(t.get(e))} ${Cc[e].title}`),{total:r}=e.head;if(!r)return`no message is pending`;let i=M(r,`pending message`);return e.head.is_cut?`${i}, of which the ${j(e.messages.length)} oldest: ${n.join(`, `)}`:`${i}: ${n.join(`, `)}`}function Sc(e,t,n,r){let{ranks:i}=e,a={rank:e=>e,sends:e=>i.sends[e],receives:e=>i.receives[e],unexpected:e=>i.unexpected[e],since:t=>i.call_row[t]<0?-1:e.head.at_ns-i.call_start_ns[t]}[n];return Array.from({length:i.sends.length},(e,t)=>t).filter(t).sort((e,t)=>(r?a(e)-a(t):a(t)-a(e))||e-t)}var Cc,wc,Tc=t((()=>{F(),Cc={unexpected:{title:`unexpected`,help:`Sent before its receive is posted. The MPI library keeps it in the queue of unexpected messages, or the sender waits.`},posted:{title:`posted`,help:`The receive is posted; the send has not started.`},in_flight:{title:`in flight`,help:`Sent, and the receive is posted; no call has completed the receive yet.`},received:{title:`send not completed`,help:`Received; no call of the sender has completed the send yet.`}},wc=(e,t)=>e?`${j(e)} · ${A(t)}`:``})),Ec=n({MomentPane:()=>Oc}),Dc,Oc,kc=t((()=>{w(),O(),On(),Ln(),R(),F(),en(),ti(),Kr(),ui(),K(),Tc(),W(),Dc=2e3,Oc=class extends C{static{this.styles=[L,gr,vr]}#e;constructor(){super(),this.view=`moment`,this.sort={id:`rank`,ascending:!0},this.#e=new Dn(this),new G(this),new Gr(this,this)}willUpdate(){let{app:e}=this,t=e.store.state.moment;if(e.run?.state!==`ready`||t===null)return;let{from:n,until:r,duration_min:i,duration_max:a,...o}=e.scope,s={...o,at:t,limit:Dc};this.#e.update([s,e.growth],t=>e.client.moment(s,t))}render(){let{app:e}=this,t=e.store.state.moment,n=t===null?null:this.#e.value,r=e.store.state.twins.includes(`moment`),i=t=>{let n=e.store.state.twins.filter(e=>e!==`moment`);e.store.set({twins:t?[...n,`moment`]:n})};return x`<div class="controls">
        ${t===null?S:x`<label>show
                <select aria-label="Ranks or messages" @change=${e=>i(e.target.value===`messages`)}>
                  <option value="ranks" ?selected=${!r}>ranks</option>
                  <option value="messages" ?selected=${r}>messages</option>
                </select></label>
              <span class="number">at ${P(t,1)}</span>
              <span class="muted">${n?xc(n):`…`}</span>
              <span class="space"></span>
              <button class="line" @click=${()=>e.store.set({moment:null})}>Clear</button>
              <mp-save .app=${e} view=${this.view}></mp-save>`}
      </div>
      ${this.#t(t,n,r)}`}#t(e,t,n){return this.app.run?.state===`ready`?e===null?x`<p class="note">Click a moment in the timeline or in the curves. This pane shows what each rank does at that moment and which messages are pending.</p>`:this.#e.error?Pn(this.#e.error):t?n?this.#o(t):this.#i(t):x`<p class="note">…</p>`:Fn()}table(){let{moment:e,twins:t}=this.app.store.state,n=this.#e.value;if(e===null||!n)return null;if(t.includes(`moment`))return{columns:this.#a(n,!0),count:n.messages.length,total:n.head.total};let r=this.#n(n);return{columns:this.#r(n,r,!0),count:r.length}}#n(e){return Sc(e,e=>(this.app.positions[e]??-1)>=0,this.sort.id,this.sort.ascending)}#r({ranks:e,head:t},n,r=!1){let{app:i}=this,a=e=>n[e],o=t=>e.call_row[a(t)]>=0,s=(t,n,i)=>{let o=q(t,n,n=>e[t][a(n)],String,{isSortable:!0,...i}),s=n=>e[`${t}_bytes`][a(n)];return r?[o,q(`${t}_bytes`,`${n}, payload`,s,String,{unit:`bytes`})]:[{...o,cell:n=>wc(e[t][a(n)],s(n))}]},c=n=>t.at_ns-e.call_start_ns[a(n)];return[q(`rank`,`Rank`,e=>i.worldRank(a(e)),String,{isSortable:!0,width:`56px`}),{id:`in`,title:`In`,width:`minmax(90px, 1fr)`,cell:t=>o(t)?i.names?.function(e.call_function[a(t)])??``:`computing`},{id:`since`,title:`For`,isNumber:!0,isSortable:!0,width:`64px`,help:`Time since the rank entered this call`,cell:e=>o(e)?k(c(e)):``,value:e=>o(e)?c(e):null,unit:`ns`},{id:`waits`,title:`Waits`,width:`52px`,help:`Whether the rank waits for another rank`,cell:t=>e.waits[a(t)]?`waits`:``},...s(`sends`,`Sends`,{width:`84px`,help:`Sends that are not completed`}),...s(`receives`,`Receives`,{width:`84px`,help:`Posted receives that are not completed`}),...s(`unexpected`,`Unexpected`,{width:`96px`,help:Cc.unexpected.help})]}#i(e){let{app:t}=this,{ranks:n}=e,r=this.#n(e),i=e=>r[e],a=e=>n.call_row[i(e)]>=0;return x`<mp-vtable
      label="What each rank does at this moment; Enter selects its call"
      aria-busy=${this.#e.isBusy}
      .columns=${this.#r(e,r)}
      .count=${r.length}
      .sort=${this.sort}
      @sort=${e=>this.sort={id:e.detail,ascending:this.sort.id===e.detail?!this.sort.ascending:e.detail===`rank`}}
      .isSelected=${e=>t.store.state.selection?.rank===i(e)}
      @activate=${e=>{let r=i(e.detail);a(e.detail)?t.select({rank:r,row:n.call_row[r]}):t.say(`Rank ${t.worldRank(r)} is not in an MPI call at this moment.`)}}
    ></mp-vtable>`}#a({messages:e,head:t},n=!1){let{app:r}=this,i=e=>e>=0?String(r.worldRank(e)):``,a=e=>e<0?`never`:e<=t.at_ns?`${k(t.at_ns-e)} ago`:`in ${k(e-t.at_ns)}`,o=n=>Cc[t.stages[e.stage[n]]],s=(t,n)=>({id:t,title:n,isNumber:!0,width:`minmax(90px, 1fr)`,cell:n=>a(e[t][n]),value:n=>e[t][n]<0?null:e[t][n],unit:`ns`});return[{id:`stage`,title:`State`,width:`130px`,cell:e=>n?o(e).title:x`<span title=${o(e).help}>${o(e).title}</span>`},{id:`sender`,title:`From`,isNumber:!0,width:`60px`,cell:t=>i(e.sender[t])},{id:`receiver`,title:`To`,isNumber:!0,width:`60px`,cell:t=>i(e.receiver[t])},{id:`tag`,title:`Tag`,isNumber:!0,width:`60px`,cell:t=>e.tag[t]===-2147483648?`any`:String(e.tag[t]),value:t=>e.tag[t]===-2147483648?`any`:e.tag[t]},q(`bytes`,`Payload`,t=>e.bytes[t],A,{width:`80px`,unit:`bytes`}),s(`sent_ns`,`Sent`),s(`posted_ns`,`Receive posted`),{id:`comm`,title:`Communicator`,width:`minmax(100px, 1fr)`,cell:t=>r.names?.comm(e.comm[t])??``}]}#o(e){let{app:t}=this,{messages:n}=e,r=e=>Math.min(...[n.sent_ns[e],n.posted_ns[e]].filter(e=>e>=0));return x`<mp-vtable
      label="Pending messages at this moment, oldest first; Enter selects the call that started the message"
      aria-busy=${this.#e.isBusy}
      .columns=${this.#a(e)}
      .count=${n.length}
      empty="No message is pending at this moment."
      @activate=${e=>{let i=e.detail,a=n.sent_ns[i]>=0&&n.sent_ns[i]===r(i);t.select(a?{rank:n.sender[i],row:n.send_row[i]}:{rank:n.receiver[i],row:n.receive_row[i]})}}
    ></mp-vtable>`}},U([E({attribute:!1})],Oc.prototype,`app`,void 0),U([D()],Oc.prototype,`sort`,void 0),Oc=U([T(`mp-moment`)],Oc)}));function Ac(e,t,n){if(e.measureText(t).width<=n)return t;let r=e.measureText(`e`).width,i=Math.floor(n/r)-1;if(i<3)return``;let a=t.slice(0,i);for(;a&&e.measureText(`${a}…`).width>n;)a=a.slice(0,-1);return a?`${a}…`:``}function jc(e,t,n,r,i){let a=z[i.theme],o=Pc(a.panel),s=Jn(o,Pc(a.text),.12);e.fillStyle=a.panel,e.fillRect(0,0,t,n),e.font=xr,e.textAlign=`left`,e.textBaseline=`middle`;for(let{at:t,depth:n,x:c,width:l}of r){let r=i.isSearched&&!i.found.has(t),u=i.colour(t)??s,d=r?Jn(u,o,.75):u,f=n*20;e.fillStyle=I(d),e.fillRect(c,f,Math.max(.5,l-+(l>3)),19),i.isSearched&&!r&&Mc(e,c,f,l,a.accent,1);let p=l>24?Ac(e,i.text(t),l-10):``;p&&(e.fillStyle=r?a.muted:$n(d),e.fillText(p,c+4,f+10))}let c=r.find(e=>e.at===i.over);c&&Mc(e,c.x,c.depth*20,c.width,a.text,2)}function Mc(e,t,n,r,i,a){e.strokeStyle=i,e.lineWidth=a,e.strokeRect(t+a/2,n+a/2,Math.max(1,r-1-a),19-a)}var Nc,Pc,Fc=t((()=>{fr(),V(),Nc=e=>(e.reduce((e,t)=>Math.max(e,t.depth),0)+1)*20+4,Pc=e=>Number.parseInt(e.slice(1),16)}));function Ic(e){let t=2166136261;for(let n=0;n<e.length;n++)t=Math.imul(t^e.charCodeAt(n),16777619);return(t>>>0).toString(36)}function Lc(e,t,n,r=.5){let i=[],a=e.nodes[t]?.inclusive_ns??0,o=(t,s,c,l)=>{i.push({at:t,depth:s,x:c,width:l});let u=c;for(let i of e.children[t]){let t=e.nodes[i].inclusive_ns/a*n;t>=r&&o(i,s+1,u,t),u+=t}};return a>0&&o(t,0,0,n),i}function Rc(e,t,n,r,i){let a=[],o=e.nodes[t]?.inclusive_ns??0,s=t=>e.nodes[t][r]??0,c=(r,l)=>{let u=e.children[r],d=(r===t||e.nodes[r].inclusive_ns>=.05*o)!==n.has(e.ids[r]);if(a.push({at:r,level:l,isOpen:u.length?d:null}),!d)return;let f=[...u].sort((e,t)=>(i?s(e)-s(t):s(t)-s(e))||e-t);for(let e of f)c(e,l+1)};return e.nodes.length&&c(t,1),a}function zc(e,t){let n=(t,r)=>[{at:t,level:r},...e.children[t].flatMap(e=>n(e,r+1))];return e.nodes.length?n(t,1):[]}function Bc(e){let t=/^(.*) (\S+:\d+)$/.exec(e);return{name:t?.[1]??e,place:t?.[2]??``}}var Vc,Hc=t((()=>{Vc=class{constructor({nodes:e}){this.nodes=e;let t=e.map(()=>[]),n=[];e.forEach(({parent:e,text:r,others:i},a)=>{e!==null&&t[e].push(a),n.push(e===null?``:Ic(`${n[e]}/${i?``:r}`))}),this.children=t,this.ids=n}at(e){return Math.max(0,this.ids.indexOf(e))}way(e){let t=[];for(let n=e;n!==null;n=this.nodes[n]?.parent??null)t.unshift(n);return t}matching(e){let t=e.trim().toLowerCase(),n=new Set;return t&&this.nodes.forEach((e,r)=>e.text.toLowerCase().includes(t)&&n.add(r)),n}step(e,t,n){let{parent:r}=this.nodes[e];if(t===`ArrowDown`)return this.children[e][0]??e;if(e===n||r===null)return e;if(t===`ArrowUp`)return r;let i=this.children[r];return i[i.indexOf(e)+(t===`ArrowRight`?1:-1)]??e}}})),Uc=n({TreePane:()=>Gc}),Wc,Gc,Kc=t((()=>{w(),O(),On(),Nn(),Ln(),hr(),F(),Ai(),gs(),ui(),Fc(),Hc(),W(),Wc=2e3,Gc=class extends hs{constructor(...e){super(...e),this.view=`tree`,this.#e=new Dn(this),this.#t=null,this.#n=new Vc({nodes:[]}),this.#r=[],this.toggled=new Set,this.sort={id:`inclusive_ns`,ascending:!1},this.search=``,this.over=null}static{this.styles=[...hs.styles,l`
      .scroll {
        height: 100%;
        overflow-y: auto;
      }
      .scroll:focus-visible {
        outline-offset: -2px;
      }
      canvas {
        position: static;
        display: block;
      }
      nav {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 2px;
        padding: 0 8px;
        font-size: 12px;
        border-bottom: 1px solid var(--line);
      }
      nav button {
        min-height: 24px;
        padding: 0 4px;
        max-width: 240px;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      input[type="search"] {
        width: 110px;
        min-height: 24px;
      }
      .hint {
        padding: 4px 8px;
        font-size: 12px;
        border-top: 1px solid var(--line);
      }
    `]}#e;#t;#n;#r;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by_rank:t}=e.store.state.tree,n={...e.scope,by_rank:t,limit:Wc},[r,i]=An(e,n,(t,n)=>e.client.tree(t,n));this.#e.update([n,e.growth],r,{...i,isSample:e=>e.has_finer||i.isSample(e)});let{value:a}=this.#e;a!==this.#t&&(this.#t=a,this.#n=new Vc(a??{nodes:[]}),this.over=null)}get#i(){return this.#n.at(this.app.store.state.tree.zoom)}#a(e){let{tree:t}=this.app.store.state;this.over=null,this.app.store.set({tree:{...t,zoom:this.#n.ids[e]??``}})}paint(e){let t=this.#c();this.#r=Lc(this.#n,this.#i,t.clientWidth),e.style.height=`${Math.max(t.clientHeight,Nc(this.#r))}px`;let n=ki(e);n&&this.#s(n.c,n.width,n.height,this.#r,this.over?.at??-1)}get hasPicture(){return!!this.#n.nodes[0]?.calls}draw(e,t,n){this.#s(e,t,n,Lc(this.#n,this.#i,t),-1)}picture(){let e=super.picture();if(!e)return null;let t=Nc(Lc(this.#n,this.#i,e.width));return{...e,height:t,draw:n=>this.draw(n,e.width,t)}}table(){let e=zc(this.#n,this.#i);if(!this.hasPicture)return null;let t=t=>this.#n.nodes[e[t].at],n=(e,t)=>({title:e,cell:()=>``,value:t});return{columns:[n(`Level`,t=>e[t].level),n(`Frame`,e=>Bc(t(e).text).name),n(`Place`,e=>Bc(t(e).text).place),...this.#o(t)],count:e.length}}#o(e){let t=this.#e.value?.rank_time_ns||1,n={isNumber:!0,isSortable:!0,width:`minmax(74px, 1fr)`},r=(t,r,i,a)=>({id:t,title:r,help:i,unit:`ns`,...n,cell:t=>{let n=a(e(t));return n===null?``:k(n)},value:t=>a(e(t))});return[{id:`calls`,title:`Calls`,...n,cell:t=>j(e(t).calls),value:t=>e(t).calls},r(`inclusive_ns`,`Inclusive`,`Time in MPI calls made below this frame`,e=>e.inclusive_ns),r(`exclusive_ns`,`Exclusive`,`Time in MPI calls made directly by this frame`,e=>e.others?null:e.exclusive_ns),r(`waiting_ns`,`Waiting`,`Part of the inclusive time spent waiting for another rank`,e=>e.waiting_ns),{id:`share`,title:`Share`,name:`Share of rank time`,isNumber:!0,width:`minmax(54px, 1fr)`,help:`Inclusive time as a share of the time of all ranks in the time range`,cell:n=>N(e(n).inclusive_ns/t),value:n=>e(n).inclusive_ns/t}]}#s(e,t,n,r,i){let{app:a}=this;jc(e,t,n,r,{theme:a.theme,colour:e=>{let{function:t}=this.#n.nodes[e];return t===null?null:a.colours.function(t)},text:e=>this.#n.nodes[e].text,found:this.#n.matching(this.search),isSearched:this.search.trim()!==``,over:i})}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}#c(){return this.renderRoot.querySelector(`.scroll`)}#l(e){let t=this.renderRoot.querySelector(`canvas`).getBoundingClientRect(),[n,r]=[e.clientX-t.left,e.clientY-t.top];return this.#r.find(e=>Math.floor(r/20)===e.depth&&n>=e.x&&n<e.x+e.width)}#u(e){let t=this.#c().getBoundingClientRect(),n=this.#l(e)?.at;this.over=n===void 0?null:{at:n,x:e.clientX-t.left,y:e.clientY-t.top}}#d(e){if(e.ctrlKey||e.altKey||e.metaKey)return;let t=this.#i,n=this.over?.at??t;if(e.key.startsWith(`Arrow`))this.#f(this.over?this.#n.step(n,e.key,t):t);else if(e.key===`Enter`)this.#a(n);else if(e.key===`Escape`&&t)this.#a(this.#n.nodes[t].parent??0);else return;e.preventDefault()}#f(e){let t=this.#n.way(e),n=this.#r.filter(e=>t.includes(e.at)).pop(),r=this.#c();if(!n)return;let i=n.depth*20;(i<r.scrollTop||i+20>r.scrollTop+r.clientHeight)&&(r.scrollTop=i-r.clientHeight/2),this.over={at:e,x:n.x+Math.min(n.width/2,60),y:i+20-r.scrollTop}}render(){let{app:e}=this,{tree:t}=e.store.state,n=this.#e.value,r=this.#n.matching(this.search);return x`<div class="controls">
        <input type="search" placeholder="search frames" aria-label="Search frames" .value=${this.search} @input=${e=>this.search=e.target.value} />
        ${this.search.trim()?x`<span role="status">${j(r.size)} found</span>`:S}
        ${e.client.isExported?S:x`<label title="One tree per rank"><input type="checkbox" .checked=${t.by_rank} @change=${t=>e.store.set({tree:{zoom:``,by_rank:t.target.checked}})} />per rank</label>`}
        <span class="space"></span>
        <span class="muted">${n?`time in MPI calls, ${n.is_cut?`the largest of ${M(n.total,`frame`)}`:M(n.total,`frame`)}${kn(n.basis,this.#e.done)}`:``}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?Pn(this.#e.error):x`${this.#p()} ${this.isTwin?this.#g():this.#m()}`:Fn()}
      ${e.run?.stack_depth===1?x`<div class="hint muted">Only the caller of each call was recorded. To record more of the stack, use <code>mpiscope run --stack 8</code>.</div>`:S}`}#p(){let{app:e}=this,t=this.#i;if(!t&&e.store.state.tree.zoom!==``&&this.#e.value!==null)return x`<nav aria-label="Enclosing frames"><span class="muted">The frame in the link has no calls here.</span><button class="line" @click=${()=>this.#a(0)}>All calls</button></nav>`;if(!t)return S;let n=this.#n.way(t),{site:r,function:i}=this.#n.nodes[t];return x`<nav aria-label="Enclosing frames">
      ${n.map(e=>x`${e?x`<span aria-hidden="true">›</span>`:S}<button title=${this.#n.nodes[e].text} aria-current=${e===t?`true`:S} @click=${()=>this.#a(e)}>${Bc(this.#n.nodes[e].text).name}</button>`)}
      ${r===null?S:x`<button class="line" title="Show only the calls of this call site in every view" @click=${()=>e.store.set({filter:{...e.store.state.filter,site:r,functions:i===null?e.store.state.filter.functions:[i]}})}>Only this</button>`}
    </nav>`}#m(){let{over:e}=this,t=e&&this.#n.nodes[e.at];return x`<div class="plot">
      <div
        class="scroll"
        role="group"
        tabindex="0"
        aria-label="Flame graph of MPI calls: arrow keys move between frames, Enter zooms in, Escape zooms out"
        aria-busy=${this.#e.isBusy}
        @keydown=${e=>this.#d(e)}
        @blur=${()=>this.over=null}
      >
      <canvas
        role="img"
        aria-label="Flame graph: frames with the time in the MPI calls below them"
        @pointermove=${e=>this.#u(e)}
        @pointerleave=${()=>this.over=null}
        @click=${e=>{let t=this.#l(e);t&&this.#a(t.at)}}
      ></canvas>
      </div>
      ${this.#e.value&&!this.#r.length&&!this.#n.nodes[0]?.calls?x`<p class="note">No calls.</p>`:S}
      ${t?x`<div class="tip" role="status">${this.#h(t)}</div>`:S}
    </div>`}#h(e){let{name:t,place:n}=Bc(e.text),{rank_time_ns:r}=this.#t;return x`<b>${t}</b> ${n?x`<span class="mono">${n}</span>`:S}<br />
      <span class="number">${k(e.inclusive_ns)} in MPI calls, ${N(e.inclusive_ns/r)} of the time</span><br />
      <span class="number">${e.waiting_ns===null?S:x`${k(e.waiting_ns)} of it waiting<br />`}${e.function===null?x`${k(e.exclusive_ns)} in its own calls<br />`:S}${M(e.calls,`call`)}</span>`}#g(){let e=this.#i,{ascending:t,id:n}=this.sort,r=Rc(this.#n,e,this.toggled,n,t),i=this.#n.matching(this.search),a=e=>this.#n.nodes[r[e].at],o=[{id:`frame`,title:`Frame`,width:`minmax(200px, 4fr)`,cell:e=>this.#_(a(e),i.has(r[e].at))},...this.#o(a)],s=e=>{let t=this.#n.ids[r[e].at],n=new Set(this.toggled);n.delete(t)||n.add(t),this.toggled=n};return x`<mp-vtable
      label="Call tree of MPI calls; Enter zooms to the frame, the right and left arrow keys open and close it"
      aria-busy=${this.#e.isBusy}
      .columns=${o.map(e=>({...e,isCut:!0}))}
      .count=${r.length}
      .branch=${e=>({level:r[e].level,isOpen:r[e].isOpen})}
      .sort=${this.sort}
      .isSelected=${t=>r[t].at===e&&e>0}
      @sort=${e=>this.sort={id:e.detail,ascending:n===e.detail&&!t}}
      @toggle=${e=>s(e.detail)}
      @activate=${e=>r[e.detail]&&this.#a(r[e.detail].at)}
    ></mp-vtable>`}#_(e,t){let{name:n,place:r}=Bc(e.text),i=t?x`<mark>${n}</mark>`:n;return x`<span title=${e.text}>${e.function===null?S:pr(this.app,e.function)} ${i} <span class="muted">${r}</span></span>`}},U([D()],Gc.prototype,`toggled`,void 0),U([D()],Gc.prototype,`sort`,void 0),U([D()],Gc.prototype,`search`,void 0),U([D()],Gc.prototype,`over`,void 0),Gc=U([T(`mp-tree`)],Gc)})),qc=n({PathPane:()=>Yc}),Jc,Yc,Xc=t((()=>{w(),O(),On(),Ln(),hr(),R(),F(),ml(),uo(),ti(),Kr(),ui(),K(),W(),Jc=2e3,Yc=class extends C{static{this.styles=[L,gr,vr]}#e;constructor(){super(),this.view=`path`,this.#e=new Dn(this),new G(this),new Gr(this,this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t={...e.scope,limit:Jc};this.#e.update([t,e.growth],n=>e.client.pathGroups(t,n))}#t({rank:e,longest:t}){let{app:n}=this,{from_ns:r,until_ns:i,row:a}=t,o=n.positions[e]??-1,s=oo(n.window,n.whole,r,i,o<0?null:o),{layers:c}=n.store.state;n.store.set({...co(s,n.whole,n.main),...a===null?{}:{selection:{rank:e,row:a}},layers:ll.filter(e=>e===`path`||c.includes(e))})}render(){let e=this.#e.value,t=e?.rows.length?`${k(e.path_ns)} of path, ${e.is_cut?`first ${j(e.rows.length)} of ${M(e.total,`place`)}`:M(e.total,`place`)}`:``;return x`<div class="controls">
        <span class="muted">${t}</span>
        <span class="space"></span>
        <mp-save .app=${this.app} view=${this.view}></mp-save>
      </div>
      ${this.app.run?.state===`ready`?this.#e.error?Pn(this.#e.error):this.#i(e):Fn()}`}#n(e){return e?e.is_known?e.is_too_long?`The path has too many calls here: zoom in.`:`The critical path does not pass through here.`:`The critical path of this run is unknown.`:`…`}table(){let e=this.#e.value?.rows??[];return e.length?{columns:this.#r(e),count:e.length}:null}#r(e){let{app:t}=this,n=n=>e[n].function===null?``:t.names?.function(e[n].function)??``,r=t=>{let{doing:r}=e[t],i=n(t).replace(/^MPI_/,``);return r===`call`?n(t):r===`transfer`?`data in flight to ${i||`this call`}`:i?`computing until ${i}`:`computing`},i=n=>{let{doing:i,function:a}=e[n];return i===`call`&&a!==null?x`${pr(t,a)} ${r(n)}`:r(n)},a=t=>e[t].longest.until_ns-e[t].longest.from_ns,o={isNumber:!0,unit:`ns`,width:`minmax(62px, 1fr)`};return[{id:`rank`,title:`Rank`,isNumber:!0,width:`56px`,cell:n=>String(t.worldRank(e[n].rank))},{id:`what`,title:`What`,width:`minmax(165px, 2fr)`,cell:i,value:r},{id:`where`,title:`Where`,width:`minmax(140px, 2fr)`,help:`Call site; for computing, the call site of the call that ends it`,cell:n=>e[n].site===null?``:t.names?.site(e[n].site)||`unknown`},{id:`total`,title:`Time`,...o,cell:t=>k(e[t].total_ns),value:t=>e[t].total_ns},{id:`share`,title:`Share`,isNumber:!0,width:`minmax(54px, 1fr)`,help:`Share of the critical path of all ranks in this time range`,cell:t=>N(e[t].share),value:t=>e[t].share},{id:`count`,title:`Count`,isNumber:!0,width:`minmax(50px, 1fr)`,help:`Segments of the path`,cell:t=>j(e[t].count),value:t=>e[t].count},{id:`longest`,title:`Longest`,...o,cell:e=>k(a(e)),value:a}]}#i(e){let t=e?.rows??[],n=this.#r(t);return x`<mp-vtable
      label="Critical path by rank and place, longest first; Enter shows the longest segment in the timeline"
      aria-busy=${this.#e.isBusy}
      .columns=${n.map(e=>({...e,isCut:!0}))}
      .count=${t.length}
      .frozen=${2}
      empty=${this.#n(e)}
      @activate=${e=>t[e.detail]&&this.#t(t[e.detail])}
    ></mp-vtable>`}},U([E({attribute:!1})],Yc.prototype,`app`,void 0),Yc=U([T(`mp-path`)],Yc)}));function Zc(e,...t){return t.every(t=>(e[t]??null)===null)}var Qc,$c,el,tl,nl,rl,il,al,ol,sl,cl=t((()=>{_n(),wn(),Qc=[`png`,`svg`,`csv`],$c=e=>+!!e,el=[{id:`table`,title:`Table`,element:`mp-table`,load:()=>Cn(()=>Promise.resolve().then(()=>(_i(),di)),void 0,import.meta.url),key:{code:`Digit1`},question:`groups`,answer:`json`,exported:{stored:e=>`groups/${e.by}`,missing:`these groups are`},saves:[`csv`],settings:sn},{id:`scatter`,title:`Scatter`,element:`mp-scatter`,load:()=>Cn(()=>Promise.resolve().then(()=>(Ls(),ks)),void 0,import.meta.url),key:{code:`Digit2`},question:`scatter`,answer:`frame`,exported:{stored:e=>Zc(e,`x_min`,`x_max`,`y_min`,`y_max`)?`scatter/${e.x}/${e.y}/${$c(e.x_log)}/${$c(e.y_log)}`:null,missing:`statistics of messages are`},saves:Qc,hasTwin:!0,settings:dn},{id:`histogram`,title:`Histogram`,element:`mp-histogram`,load:()=>Cn(()=>Promise.resolve().then(()=>(Hs(),Rs)),void 0,import.meta.url),key:{code:`Digit3`},question:`histogram`,answer:`json`,exported:{stored:e=>Zc(e,`min`,`max`)?`histogram/${e.field}/${$c(e.is_log)}`:null,missing:`statistics of messages are`},saves:Qc,hasTwin:!0,settings:fn},{id:`matrix`,title:`Matrix`,element:`mp-matrix`,load:()=>Cn(()=>Promise.resolve().then(()=>(Js(),Us)),void 0,import.meta.url),key:{code:`Digit4`},question:`matrix`,answer:`frame`,exported:{stored:e=>`matrix/${e.by}`,missing:`the matrix for part of the run is`},saves:Qc,hasTwin:!0,settings:mn},{id:`events`,title:`Events`,element:`mp-events`,load:()=>Cn(()=>Promise.resolve().then(()=>(Qs(),Ys)),void 0,import.meta.url),key:{code:`Digit5`},question:`calls`,answer:`frame`,exported:{missing:`individual calls for this whole time range are`},saves:[`csv`]},{id:`differences`,title:`Differences`,element:`mp-differences`,load:()=>Cn(()=>Promise.resolve().then(()=>(uc(),$s)),void 0,import.meta.url),key:{code:`Digit6`},question:`differences`,answer:`json`,exported:null,saves:[`csv`],ofBoth:`This pane shows the differences between two runs, and one run is open. Use mpiscope view RUN OTHER.`,settings:cn},{id:`curves`,title:`Curves`,element:`mp-curves`,load:()=>Cn(()=>Promise.resolve().then(()=>(bc(),vc)),void 0,import.meta.url),key:{code:`Digit7`},question:`curves`,answer:`frame`,exported:{missing:`the curves for part of the calls are`},saves:Qc,hasTwin:!0,settings:hn},{id:`moment`,title:`State`,element:`mp-moment`,load:()=>Cn(()=>Promise.resolve().then(()=>(kc(),Ec)),void 0,import.meta.url),key:{code:`Digit8`},question:`moment`,answer:`frame`,exported:{missing:`the state at this moment is`},saves:[`csv`],hasTwin:!0},{id:`tree`,title:`Call tree`,tab:`Tree`,element:`mp-tree`,load:()=>Cn(()=>Promise.resolve().then(()=>(Kc(),Uc)),void 0,import.meta.url),key:{code:`Digit9`},question:`tree`,answer:`json`,exported:{stored:e=>e.by_rank?null:`tree`,missing:`the call tree for part of the run is`},saves:Qc,hasTwin:!0,settings:gn},{id:`path`,title:`Critical path`,tab:`Path`,element:`mp-path`,load:()=>Cn(()=>Promise.resolve().then(()=>(Xc(),qc)),void 0,import.meta.url),key:{code:`Digit0`},question:`path_groups`,answer:`json`,exported:{stored:()=>`path_groups`,missing:`the critical path for part of the run is`},saves:[`csv`]}],tl=el,nl=e=>tl.some(({id:t})=>t===e),rl=e=>tl.find(({id:t})=>t===e),il=e=>tl.find(t=>t.question===e&&t.exported),al=el.flatMap(e=>`settings`in e?[[e.id,e.settings]]:[]),ol=[`timeline`,...tl.filter(({hasTwin:e})=>e).map(({id:e})=>e)],sl=(e,t)=>e.ofBoth!==void 0&&!t})),ll,ul,dl,fl,pl,ml=t((()=>{cl(),Zi(),ll=[`messages`,`rma`,`collectives`,`waits`,`path`,`regions`],ul=Object.freeze({ranks:null,functions:null,comm:null,site:null,region:null,peer:null,peers:null,tag:null,bytes_min:null,bytes_max:null,duration_min:null,duration_max:null,host:null,iteration:null,thread:null}),dl=Object.freeze({page:`overview`,from:null,until:null,isWhole:!1,row_from:null,row_until:null,order:``,filter:ul,selection:null,area:null,hidden:[],skipped:[],colouring:`function`,paint:{},layers:[`messages`,`rma`,`collectives`,`waits`],left:`table`,right:`scatter`,scope:`window`,...Object.fromEntries(al.map(([e,{initial:t}])=>[e,t])),moment:null,twins:[],finding:null,about:0,other:null,align:Xi}),fl=e=>Object.values(e).some(e=>e!==null),pl=e=>Object.entries(e).every(([e,t])=>t===null||e===`functions`)}));function hl(e,t){let{state:n}=e.store,{from:r,until:i}=e.scope,a=r!=null&&i!=null?`${P(r,(i-r)/1e3)} + ${k(i-r)}`:`whole run`,{area:o}=n;return[e.run?.name,t,o?`selected area: ${a}`:a,fl(n.filter)||n.hidden.length?`filtered`:``].filter(Boolean).join(` · `)}function gl(e,t,n){let r=0,i=0;return e.map(e=>{let a=13+n(e.text)+14;r>0&&r+a>t&&(r=0,i++);let o={key:e,x:r,line:i};return r+=a,o})}function _l(e,t,n,r){let{width:i,height:a}=e,o=gl(e.keys??[],i-16,e=>r(e,B)),s=((o[o.length-1]?.line??-1)+2)*vl+4;return{width:i,height:a+s,draw(r){r.fillStyle=n.panel,r.fillRect(0,0,i,a+s),r.save(),r.beginPath(),r.rect(0,0,i,a),r.clip(),e.draw(r),r.restore(),r.font=B,r.textAlign=`left`,r.textBaseline=`middle`;for(let{key:e,x:t,line:i}of o){let o=a+4+(i+.5)*vl;r.fillStyle=e.colour,r.fillRect(yl+t,o-bl/2,bl,bl),r.fillStyle=n.text,r.fillText(e.text,yl+t+bl+4,o)}r.fillStyle=n.muted,r.fillText(t,yl,a+s-vl/2,i-16)}}}var vl,yl,bl,xl,Sl=t((()=>{F(),ml(),V(),vl=16,yl=8,bl=9,xl=e=>z[e.theme]})),Cl={u8:Uint8Array,u16:Uint16Array,u32:Uint32Array,i32:Int32Array,f32:Float32Array,f64:Float64Array},wl=826692429,Tl=e=>e+7&-8,El=class extends Error{};function Dl(e){if(e.byteLength<8)throw new El(`the answer is shorter than the start of a frame`);let t=new DataView(e);if(t.getUint32(0,!0)!==wl)throw new El(`the answer is not a frame`);let n=t.getUint32(4,!0);if(8+n>e.byteLength)throw new El(`the header of the frame is truncated`);let r;try{r=JSON.parse(new TextDecoder().decode(new Uint8Array(e,8,n)))}catch{throw new El(`the header of the frame is not valid JSON`)}let i=r.columns;if(!Array.isArray(i))throw new El(`the header of the frame lists no columns`);let a=new Map,o=Tl(8+n);for(let t of i){let n=Cl[t.type];if(!n)throw new El(`the frame has a column of unknown type ${t.type}`);let r=o+t.length*n.BYTES_PER_ELEMENT;if(r>e.byteLength)throw new El(`the frame is truncated in column ${t.name}`);a.set(t.name,new n(e,o,t.length)),o=Tl(r)}return{head:r,columns:a,buffer:e}}function X(e,t){let n=e.columns.get(t);if(!n)throw new El(`the frame has no column ${t}`);return n}var Ol=new Map(Object.entries(Cl).map(([e,t])=>[t,e]));function kl(e,t){let n=Object.entries(t).map(([e,t])=>({name:e,type:Ol.get(t.constructor),length:t.length})),r=new TextEncoder().encode(JSON.stringify({...e,columns:n})),i=Tl(8+r.length),a=new ArrayBuffer(Object.values(t).reduce((e,t)=>Tl(e+t.byteLength),i)),o=new Uint8Array(a),s=new DataView(a);s.setUint32(0,wl,!0),s.setUint32(4,r.length,!0),o.set(r,8),o.fill(32,8+r.length,i);let c=i;for(let e of Object.values(t))o.set(new Uint8Array(e.buffer,e.byteOffset,e.byteLength),c),c=Tl(c+e.byteLength);return a}var Al=4e6;function jl(e){let{windows:t,count:n}=e;if(!t||e.from_ns.length>=n)return e;let r=[...e.from_ns],i=Math.min(n,Al),a=0;for(let e=r.length;e<i;e++){for(;a+1<t.first.length&&t.first[a+1]<=e;)a++;let i=t.first[a],o=Math.max(t.first[a+1]??n,i+1),s=t.from_ns[a],c=Math.max(t.from_ns[a+1]??t.until_ns,s);r.push(Math.max(r[e-1]??0,s+(c-s)*(e-i)/(o-i)))}let o=r.map((n,i)=>i<e.until_ns.length?e.until_ns[i]:Math.max(n,r[i+1]??t.until_ns));return{...e,from_ns:r,until_ns:o}}var Ml=e=>e.iterations?{...e,iterations:jl(e.iterations)}:e;en();var Nl=class{#e;#t;constructor(e,t=``){this.#e=e,this.#t=t}#n(e,t,n){return this.#e.ask(`${this.#t}${e}`,t,n)}async#r(e,t,n){return await(await this.#n(e,t,n)).json()}async#i(e,t,n){return Dl(await this.#e.frame(`${this.#t}${e}`,t,n))}get isExported(){return this.#e.isExported}get kept(){return this.#e.kept}async export(e,t){return(await this.#n(`export`,e,t)).arrayBuffer()}notes(){return this.#r(`notes`,{})}async keepNotes({revision:e,notes:t}){return await(await this.#e.put(`${this.#t}notes`,{revision:e,notes:t})).json()}runs(e){return this.#e.ask(`runs`,{},e).then(e=>e.json())}differences(e,t){return this.#e.ask(`0/differences/1`,e,t).then(e=>e.json())}async run(e){return Ml(await this.#r(`run`,{},e))}progress(e){return this.#r(`progress`,{},e)}offers(e){return this.#e.ask(`offers`,{},e).then(e=>e.json())}async working(e,t){return(await this.#r(`working`,{of_ask:e},t)).done}report(e){return this.#r(`report`,{brief:!0},e)}async apart(e,t){return(await this.#r(`apart`,e,t)).ranks}async order(e,t){let n=await this.#i(`order`,{order:e},t);return{groups:n.head.groups??[],unit:n.head.unit??null,ranks:X(n,`rank`),starts:n.columns.get(`start`)??null,value:n.columns.get(`value`)??null}}async cells(e,t){return Pl(await this.#e.frame(`${this.#t}cells`,e,t))}async calls(e,t){let n=await this.#i(`calls`,e,t),r=X(n,`start_ns`);return{head:n.head,length:r.length,rank:X(n,`rank`),thread:X(n,`thread`),row:X(n,`row`),start_ns:r,duration_ns:X(n,`duration_ns`),function:X(n,`function`),count:X(n,`count`),comm:X(n,`comm`),peer:X(n,`peer`),tag:X(n,`tag`),bytes_sent:X(n,`bytes_sent`),bytes_received:X(n,`bytes_received`),site:X(n,`site`),region:X(n,`region`),window:X(n,`window`),flags:X(n,`flags`)}}async messages(e,t){let n=await this.#i(`messages`,e,t),r=X(n,`sender`);return{head:n.head,length:r.length,sender:r,receiver:X(n,`receiver`),send_row:X(n,`send_row`),receive_row:X(n,`receive_row`),receive_done_row:X(n,`receive_done_row`),sent_ns:X(n,`sent_ns`),received_ns:X(n,`received_ns`),bytes:X(n,`bytes`),tag:X(n,`tag`)}}async bundles(e,t){let n=await this.#i(`bundles`,e,t),r=X(n,`count`);return{head:n.head,length:r.length,from_ns:X(n,`from_ns`),sender:X(n,`sender`),receiver:X(n,`receiver`),count:r,bytes:X(n,`bytes`),latency_ns:X(n,`latency_ns`)}}async moment(e,t){let n=await this.#i(`moment`,e,t),r=e=>X(n,e),i=e=>X(n,e),a=e=>X(n,e),o=X(n,`stage`);return{head:n.head,ranks:{call_row:r(`call_row`),call_function:a(`call_function`),call_start_ns:r(`call_start_ns`),waits:X(n,`waits`),sends:i(`sends`),sends_bytes:r(`sends_bytes`),receives:i(`receives`),receives_bytes:r(`receives_bytes`),unexpected:i(`unexpected`),unexpected_bytes:r(`unexpected_bytes`)},messages:{length:o.length,stage:o,sender:a(`sender`),receiver:a(`receiver`),send_row:r(`send_row`),sent_ns:r(`sent_ns`),receive_row:r(`receive_row`),posted_ns:r(`posted_ns`),bytes:r(`bytes`),tag:a(`tag`),comm:a(`comm`)}}}async curves(e,t){let n=await this.#i(`curves`,e,t),{columns_count:r,...i}=n.head,a={};for(let e of $t){let t=n.columns.get(e);t&&(a[e]=t)}return{...i,columns:r,values:a}}async collectives(e,t){let n=await this.#i(`collectives`,e,t);return{head:n.head,operation:X(n,`operation`),function:X(n,`function`),comm:X(n,`comm`),member_offset:X(n,`member_offset`),rank:X(n,`rank`),row:X(n,`row`),done_row:X(n,`done_row`),start_ns:X(n,`start_ns`),end_ns:X(n,`end_ns`)}}async waits(e,t){let n=await this.#i(`waits`,e,t),r=X(n,`rank`);return{head:n.head,length:r.length,rank:r,row:X(n,`row`),start_ns:X(n,`start_ns`),end_ns:X(n,`end_ns`),kind:X(n,`kind`),cause_rank:X(n,`cause_rank`)}}async regions(e,t){let n=await this.#i(`regions`,e,t),r=X(n,`rank`);return{length:r.length,rank:r,region:X(n,`region`),depth:X(n,`depth`),start_ns:X(n,`start_ns`),end_ns:X(n,`end_ns`)}}async begin(e,t){return(await this.#r(`begin`,{region:e},t)).ns}async path(e){let t=await this.#i(`path`,{},e),n=X(t,`rank`);return{length:n.length,rank:n,from_ns:X(t,`from_ns`),until_ns:X(t,`until_ns`)}}call(e,t){return this.#r(`call`,{rank:e.rank,row:e.row},t)}step(e,t,n,r={},i){return this.#r(`step`,{rank:e.rank,row:e.row,by:t,direction:n,...r},i)}find(e,t,n,r,i){let a=r?{start:r.start_ns,rank:r.rank,row:r.row}:{};return this.#r(`find`,{...n,text:e,direction:t,...a},i)}matches(e,t,n,r,i){return this.#r(`matches`,{...t,text:e,at:n,limit:r},i)}async scatter(e,t){let n=await this.#i(`scatter`,e,t),{x_axis:r,y_axis:i,total:a,form:o,fit:s,basis:c}=n.head,l=o===`points`;return{basis:c,x:r,y:i,total:a,form:o,fit:s??null,points:l?{x:X(n,`x`),y:X(n,`y`),rank:X(n,`rank`),row:X(n,`row`),function:X(n,`function`)}:null,density:l?null:{width:n.head.width??e.width,height:n.head.height??e.height,count:X(n,`count`),function:X(n,`function`)}}}histogram(e,t){return this.#r(`histogram`,e,t)}groups(e,t){return this.#r(`groups`,e,t)}tree(e,t){return this.#r(`tree`,e,t)}pathGroups(e,t){return this.#r(`path_groups`,e,t)}async matrix(e,t){let n=await this.#i(`matrix`,e,t);return{rows:n.head.rows,labels:n.head.labels,ranks_per_block:n.head.ranks_per_block,sender:X(n,`sender`),receiver:X(n,`receiver`),count:X(n,`count`),bytes:X(n,`bytes`),longest_ns:X(n,`longest_ns`),latency_ns:X(n,`latency_ns`),basis:n.head.basis}}};function Pl(e){let t=Dl(e);return{head:t.head,offset:X(t,`offset`),function:X(t,`function`),share:X(t,`share`),calls:X(t,`calls`),longest_ns:X(t,`longest_ns`),longest_rank:X(t,`longest_rank`),longest_row:X(t,`longest_row`),buffer:e}}var Fl=60,Il=26,Ll=20,Rl=14,zl=10;function Bl(e,t,n,r,i=0){let a=Fl+r,o=n?Rl:0,s=46+o;return{width:e,height:t,left:a,top:s,plotWidth:Math.max(1,e-a-zl),plotHeight:Math.max(1,t-s-2-i),mapTop:0,mapHeight:Il,axisTop:Il,axisHeight:Ll,rulerTop:46,rulerHeight:o,groupWidth:r}}var Z=(e,t,n)=>e.left+(n-t.from)/(t.until-t.from)*e.plotWidth,Vl=(e,t,n)=>t.from+(n-e.left)/e.plotWidth*(t.until-t.from),Q=(e,t,n)=>e.top+(n-t.row_from)/(t.row_until-t.row_from)*e.plotHeight,Hl=(e,t,n)=>t.row_from+(n-e.top)/e.plotHeight*(t.row_until-t.row_from),$=(e,t)=>e.plotHeight/(t.row_until-t.row_from);function Ul(e,t,n){return n<e.mapHeight?t>=e.left&&t<=e.left+e.plotWidth?`map`:`none`:t>e.left+e.plotWidth?n>=e.top?`scroll`:`none`:n<e.axisTop+e.axisHeight?t>=e.left?`axis`:`none`:n<e.top?t>=e.left?`ruler`:`none`:t<e.left?`gutter`:`plot`}function Wl(e,t){let n=(e.until-e.from)/2,r=(e.row_until-e.row_from)/4;return{from:Math.max(t.from,Math.floor(e.from-n)),until:Math.min(t.until,Math.ceil(e.until+n)),row_from:Math.max(0,Math.floor(e.row_from-r)),row_until:Math.min(t.row_until,Math.ceil(e.row_until+r))}}function Gl(e,t,n){let r=(t.until-t.from)*1e-6;if(e.from>t.from+r||e.until<t.until-r||e.row_from>t.row_from+1e-6||e.row_until<t.row_until-1e-6)return!1;let i=e.nsPerPx/((t.until-t.from)/n.plotWidth),a=e.rowsPerPx/((t.row_until-t.row_from)/n.plotHeight);return i>.6&&i<1.25&&a>.75&&a<1.3}function Kl(e,t){let n=0,r=e.length;for(;n<r;){let i=n+r>>1;e[i]<t?n=i+1:r=i}return n}en();function ql(e,t,n,r,i,a=null){let o=-1,s=1/0;for(let c=0;c<e.length;c++){if(e.rank[c]!==t||a!==null&&e.thread[c]!==a||i(e.function[c]))continue;let l=e.start_ns[c],u=l+e.duration_ns[c],d=n<l?l-n:n>u?n-u:0;if(d>r)continue;let f=d*1e6+e.duration_ns[c];f<s&&(s=f,o=c)}return o}function Jl(e,t,n){let{head:r}=e;if(!e.offset.length)return null;let i=Math.floor((t-r.row_from)/r.rows_per_block),a=Math.floor((n-r.from_ns)/r.bin_ns);if(i<0||i>=r.rows||a<0||a>=r.columns_count)return null;let o=i*r.columns_count+a,s=[],c=0;for(let t=e.offset[o];t<e.offset[o+1];t++){let n=e.share[t]/65535;e.function[t]===65535?c=n:s.push({id:e.function[t],share:n})}return s.sort((e,t)=>t.share-e.share||e.id-t.id),{row_from:r.row_from+i*r.rows_per_block,row_until:r.row_from+(i+1)*r.rows_per_block,from:r.from_ns+a*r.bin_ns,until:r.from_ns+(a+1)*r.bin_ns,shares:s,waiting:c,calls:e.calls[o],longest_ns:e.longest_ns[o],longest_rank:e.longest_rank[o],longest_row:e.longest_row[o]}}Et(),F(),ml(),V();var Yl=4,Xl=9,Zl=14,Ql=24,$l=class{constructor(){this.ranks=[],this.cells=null,this.picture=null,this.#e=null}#e;static isNeeded(e,t,n){let{filter:r}=e.store.state;return e.run?.state===`ready`&&!e.client.isExported&&!fl(r)&&$(n,t)<Yl}clear(){this.ranks=[],this.cells=null,this.picture=null,this.#e=null}async ask(e,t,n,r,i,a){let{order:o}=e.store.state,s={from:Math.floor(t.from),until:Math.ceil(t.until)};try{let c=await e.client.apart({...s,row_from:t.row_from,row_until:t.row_until,order:o,limit:Ql},a);if(a.aborted)return;if(!c.length){this.clear();return}let l=await e.client.cells({...s,columns:n,row_from:0,row_until:c.length,rows:c.length,order:`ranks:${Jt(c.map(e=>e.rank))}`},a);if(a.aborted)return;this.#e=l.buffer.slice(0),this.ranks=c,this.cells=l,await this.draw(r,i)}catch(e){if(Ct(e))throw e;this.clear()}}async draw(e,t){let{cells:n}=this;if(!n||!this.#e)return;let r=this.#e.slice(0),{head:i}=n,a=await e.draw({kind:`cells`,buffer:r,rowPx:Xl,style:t},[r]);a.bitmap&&this.cells===n&&(this.cells=Pl(this.#e),this.picture={bitmap:a.bitmap,from:i.from_ns,until:i.from_ns+i.columns_count*i.bin_ns,row_from:0,row_until:i.rows,nsPerPx:i.bin_ns,rowsPerPx:1/Xl})}};function eu(e,t,n,r){let i=e.map(({rank:e})=>e).sort((e,t)=>e-t),a=[];for(let o of e){let e=t[o.rank]??-1,s=Q(n,r,e+.5)-Xl/2;if(e<0||s+Xl<n.top||s>n.top+n.plotHeight||a.some(e=>Math.abs(e.y-s)<Zl))continue;let c=Math.max(n.top+1,Math.min(n.top+n.plotHeight-Xl-1,s));a.push({apart:o,index:i.indexOf(o.rank),y:Math.round(c)})}return a}var tu=e=>e.y+Xl/2,nu=({app:e,pictures:t,layout:n,window:r})=>t.apart.picture&&$(n,r)<Yl?eu(t.apart.ranks,e.positions,n,r):[];function ru(e,t){let{layout:n,window:r,ink:i,pictures:a}=t,{picture:o}=a.apart;if(!o)return;let s=o.row_until-o.row_from,c=o.bitmap.height/s;for(let{index:a,y:s}of nu(t)){let[t,l]=[Z(n,r,o.from),Z(n,r,o.until)];e.fillStyle=i.panel,e.fillRect(n.left,s-2,n.plotWidth,13),e.imageSmoothingEnabled=!1,e.drawImage(o.bitmap,0,a*c,o.bitmap.width,c,t,s,l-t,Xl),e.strokeStyle=i.path,e.lineWidth=1,e.strokeRect(n.left-1,s-1.5,n.plotWidth+2,12)}}function iu(e,t){let{app:n,layout:r,ink:i}=t;for(let a of nu(t)){let{apart:t}=a;e.font=`bold ${xr}`,e.textAlign=`right`,e.textBaseline=`middle`,e.fillStyle=i.path,e.fillText(`${n.worldRank(t.rank)} ▸`,r.left-4,tu(a)+.5)}}function au(e,t){return nu(e).find(e=>t>=e.y-2&&t<=e.y+Xl+2)??null}function ou(e,t,n){let{cells:r}=e.pictures.apart;return r?Jl(r,t.index,n):null}F(),V();var su=7,cu=54,lu=130,uu=46,du=4,fu=e=>`${e.text} · ${M(e.ranks,`rank`)}`;function pu(e){if(!e.length)return 0;let t=0;for(let n of e)t=Math.max(t,n.is_folded?fu(n).length-uu/su:n.text.length);return Math.max(cu,Math.min(lu,Math.round(t*su+24)))}function mu(e,t){let n=0,r=e.length;for(;n<r;){let i=n+r>>1;e[i].until<=t?n=i+1:r=i}return n}function hu(e,t){let n=mu(e,t.row_from),r=mu(e,t.row_until);return r<e.length&&e[r].from<t.row_until&&r++,{from:n,until:r}}function gu(e,t,n){let{from:r,until:i}=hu(e,n),a=Math.max(1,Math.ceil((i-r)/Math.max(1,Math.floor(t.plotHeight/14)))),o=t.top+t.plotHeight-7,s=$(t,n),c=[];for(let o=Math.ceil(r/a)*a;o<i;o+=a){let r=e[o],i=Math.max(t.top,Q(t,n,r.from)),a=Math.min(t.top+t.plotHeight,Q(t,n,r.until)),l=r.is_folded?(i+a)/2:i+Math.min(Math.max(s/2,6),(a-i)/2),u=c.at(-1)?.y??-1/0;c.push({group:r,row:l,y:Math.max(l,u+14,t.top+7)})}let l=o;for(let e=c.length-1;e>=0&&c[e].y>l;e--)c[e].y=l,l-=14;return c}var _u=({app:e,layout:t,window:n})=>e.order?.groups.length?gu(e.order.groups,t,n):[];function vu(e,t,n){if(e.measureText(t).width<=n)return t;for(let r=t.length-1;r>=2;r--){let i=`${t.slice(0,r>>1)}…${t.slice(t.length-(r-(r>>1)))}`;if(e.measureText(i).width<=n)return i}return``}function yu(e,t,n){if(!t.is_folded)return vu(e,t.text,n);let r=` · ${t.ranks}`,i=fu(t);return e.measureText(i).width<=n?i:vu(e,t.text,n-e.measureText(r).width)+r}function bu(e,t,n,r){let{app:i,layout:a,window:o,ink:s}=t,c=i.order?.groups??[];if(!c.length)return;let{from:l,until:u}=hu(c,o);for(let t=l;t<u&&u-l<a.plotHeight;t++){let n=c[t];if(n.is_folded)continue;let r=Math.max(a.top,Q(a,o,n.from)),i=Math.min(a.top+a.plotHeight,Q(a,o,n.until));e.fillStyle=s.phases[t%2],e.fillRect(a.groupWidth-5,r,3,Math.max(1,i-r-1))}e.textBaseline=`middle`,e.textAlign=`left`;for(let{group:t,y:i,row:o}of n){let{is_folded:n}=t,c=!r.some(e=>Math.abs(tu(e)-i)<14),l=n?c?a.left-8:a.left-uu:a.groupWidth-7;n&&(e.fillStyle=s.panel,e.fillRect(2,i-7+1,l-2,12)),e.fillStyle=s.muted,e.font=B,e.fillText(n?`▸`:`▾`,4,i+.5),e.fillStyle=s.text,e.font=xr,e.fillText(yu(e,t,l-14),14,i+.5),!n||Math.abs(o-i)<du||(e.strokeStyle=s.muted,e.lineWidth=1,e.beginPath(),e.moveTo(a.left-7,i),e.lineTo(a.left-1,o),e.stroke())}}Et(),Ot(),At(),It(),Sl(),Vi(),uo();function xu({run:e}){if(!e)return 0;let{from:t,until:n}=$a(e,Qa(e,1));return n-t}var Su=500,Cu=class extends EventTarget{#e;#t;#n;#r;#i;constructor(e,t,n,r,i){super(),this.run=null,this.names=null,this.report=null,this.reportError=null,this.error=null,this.order=null,this.orderError=null,this.positions=new Int32Array,this.ownPositions=new Int32Array,this.groupWidth=0,this.folded=new Map,this.detail=null,this.detailError=null,this.launch=null,this.growth=0,this.savers=new Set,this.begins=new Map,this.#e=new Dt,this.#t=new Dt,this.#n=new kt,this.#r=!1,this.#i=Promise.resolve(),this.client=e,this.store=t,this.desk=n,this.comparison=r,this.side=i,this.notes=new Ft(e,()=>this.changed()),t.listen((e,t)=>{e.order!==t.order&&this.#u(),(e.selection?.rank!==t.selection?.rank||e.selection?.row!==t.selection?.row)&&(this.#r||this.#n.clear(),this.#f()),this.changed()})}changed(){this.dispatchEvent(new Event(`change`))}get theme(){return this.desk.theme}get savedName(){return this.run?.name}caption(e){return hl(this,e)}get colours(){return this.comparison.colours}get hasSingleKeys(){return this.desk.hasSingleKeys}get dialog(){return this.desk.dialog}get message(){return this.desk.message}say(e){this.desk.set({message:e})}fail(e,t=e=>this.say(e)){if(Ct(e))return;let n=wt(e);t(`${n.message}. ${n.next}`)}setTheme(e){this.desk.set({theme:e})}setSingleKeys(e){this.desk.set({hasSingleKeys:e,message:e?`Single-key shortcuts are on.`:`Single-key shortcuts are off. The command palette (Ctrl+Shift+P) turns them on again.`})}open(e){this.desk.set({dialog:e})}async start(){try{this.#a(await this.client.run())}catch(e){this.error=wt(e),this.changed();return}this.run?.files||this.#c(),this.#s(),this.notes.load(),(this.run?.state===`building`||this.run?.state===`ready`&&(!this.run.is_explained||this.run.is_writing))&&this.#o(),await this.#u(),this.#f()}#a(e){this.run=e,this.names=new jt(e),this.comparison.isTwo||(document.title=`${e.name} – mpiscope`),this.order||this.#l(),this.changed()}async#o(){for(;;){await new Promise(e=>setTimeout(e,Su));try{let e=this.run,t=await this.client.progress();if(e.files&&!t.files&&t.state!==`failed`?(this.#a({...await this.client.run(),...t}),t.is_explained||this.#c()):t.files&&t.files.read!==e.files?.read&&this.#a({...e,...t}),t.state===`building`){t.done!==e.done&&this.growth++,this.#a({...this.run,...t});continue}if((e.state===`building`||t.is_explained&&!e.is_explained)&&(this.#a(await this.client.run()),this.growth++),e.state===`building`&&t.state===`ready`&&(this.#u(),this.#f(),this.say(`The run is loaded.`)),t.state===`ready`&&(t.readings??0)!==(e.readings??0)&&(this.begins.clear(),this.#a(await this.client.run()),this.growth++,this.#u(),this.#f(),this.#c(),t.is_writing||this.say(`The program has ended; the complete run is loaded.`)),(t.is_explained||t.state===`failed`)&&(e.is_writing===t.is_writing&&e.is_explained||this.#c(),!t.is_writing||t.state===`failed`))return}catch(e){this.error=wt(e),this.changed();return}}}async#s(){try{this.launch=(await this.client.offers()).launch}catch{return}this.changed()}async#c(){try{let e=await this.client.report();if(e.error)throw new Tt(500,e.error.what,e.error.next);this.report=e,this.reportError=null}catch(e){this.reportError=wt(e)}this.changed()}needBegin(e){let{run:t,begins:n}=this;if(t?.state!==`ready`||n.has(e))return;n.set(e,null);let r=t.regions.find(t=>t.name===e);r&&this.client.begin(r.id).then(t=>{n.set(e,t),this.changed()},e=>this.fail(e))}#l(){let e=this.run?.ranks.count??0;this.order=null,this.positions=this.ownPositions=Int32Array.from({length:e},(e,t)=>t),this.folded=new Map,this.groupWidth=0}async#u(){let e=this.store.state.order;if(this.orderError=null,!e)this.#e.cancel(),this.#l(),this.changed();else{try{let t=await this.#e.run(t=>this.client.order(e,t));if(!t)return;this.#d(t)}catch(e){this.orderError=wt(e),this.fail(e)}this.changed()}}#d(e){this.order=e;let t=new Int32Array(this.run?.ranks.count??0).fill(-1),{ranks:n,starts:r}=e,i=0;n.forEach((e,n)=>{if(r)for(;r[i+1]<=n;)i++;t[e]=r?i:n}),this.positions=t,this.folded=new Map(e.groups.filter(e=>e.is_folded).map(e=>[e.from,e])),this.groupWidth=pu(e.groups),this.ownPositions=this.folded.size?t.map(e=>this.folded.has(e)?-1:e):t}#f(){this.#i=this.#p()}async selected(){for(;;){let e=this.#i;if(await e,e===this.#i)return this.detail}}async#p(){let e=this.store.state.selection;if(this.detailError=null,!e||this.run?.state!==`ready`)this.#t.cancel(),this.detail=null,this.changed();else{try{let t=await this.#t.run(t=>this.client.call(e,t));t&&(this.detail=t)}catch(e){this.detail=null,this.detailError=wt(e)}this.changed()}}get rows(){return(this.order?.starts?this.order.starts.length-1:this.order?.ranks.length)??this.run?.ranks.count??0}rankAt(e){return this.folded.has(e)?-1:this.order?this.order.ranks[this.order.starts?.[e]??e]??-1:e}nameAt(e){let t=this.folded.get(e);return t?fu(t):`rank ${this.worldRank(this.rankAt(e))}`}worldRank(e){return this.run?.ranks.world_rank[e]??e}rankOfWorld(e){let t=this.run?.ranks.world_rank.indexOf(e)??-1;return t>=0?t:e}get whole(){let e=Qa(this.run??{from_ns:0,until_ns:1},this.rows);return this.comparison.isTwo?this.comparison.wholeOf(this.side,e):e}get main(){let{whole:e}=this;return this.comparison.isTwo?this.comparison.mainOf(this.side,e):$a(this.run,e)}get window(){return eo(this.store.state,this.whole,this.main)}get scope(){return this.#m(this.store.state)}get ground(){return this.#m({...this.store.state,area:null})}#m(e){return Li(this.client.isExported?{...e,isWhole:!0}:e,this.window,this.order,this.run?.ranks.count??0,this.run?.functions??[])}setWindow(e,t){let n=co(e,this.whole,this.main);t?this.store.move(n):this.store.set(n)}show(e,t=`centre`){let n=this.positions[e.rank]??-1,r=t===`fit`?oo:ao,{from:i,until:a}=this.window,o=t===`centre`&&e.start_ns>=i&&e.end_ns<=a,{row_from:s,row_until:c}=this.window,l=n<0||n>=s&&n+1<=c,u=o&&l?this.window:r(this.window,this.whole,e.start_ns,e.end_ns,n<0?null:n);this.store.set({page:`views`,selection:{rank:e.rank,row:e.row},...co(u,this.whole,this.main)})}select(e){this.store.set({selection:e})}get isStepping(){return this.#n.isBusy}goTo(e,t,n=e=>this.say(e)){return this.#n.add(async r=>{try{let i=await e(r);if(r.aborted||(n(i?``:typeof t==`string`?t:t()),!i))return;this.#r=!0,this.show(i)}catch(e){if(r.aborted)return;this.#n.clear(),this.fail(e,n)}finally{this.#r=!1}})}};w(),Gi();function wu(e){return e.comparison.isTwo?x`<span class="run-word side${e.side}" title=${e.run?.name??``}>${Wi[e.side]}</span>`:S}function Tu(e){return x`${wu(e)} <b class="run-name">${e.run?.name??(e.error?`not available`:`…`)}</b>`}var Eu=l`
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
`;F(),Mi(),ml(),uo();var Du=4,Ou=4,ku=24,Au=[`waits`,`messages`,`rma`,`collectives`];function ju(e,t){let n=e.cause_ranks.slice(0,Du),r=e.ranks.filter(e=>!n.includes(e)),i=t===null||n.includes(t)?r.slice(0,n.length?1:Ou):[t];return[...n,...i]}function Mu(e,t){let{order:n}=e.store.state,r=t.map(t=>e.rankOfWorld(t)),i=r.map(t=>e.positions[t]??-1),a=i.every(e=>e>=0)&&Math.max(...i)-Math.min(...i)<i.length;return!r.length||a&&e.rows<=ku?{order:n}:{order:Y(Y(n,`ranks`,null),`pin`,Jt(r))}}function Nu(e,t,n,r){let i=Math.min(Math.max(e.run?.ranks.count??1,1),ku),a={...e.whole,row_from:0,row_until:e.run?.ranks.count??e.rows};return{page:`views`,finding:t,filter:ul,area:null,...Mu(e,r),...co({...n,row_from:0,row_until:i},a,e.main),layers:[...new Set([...e.store.state.layers,...Au])]}}function Pu(e,t,n){let r=e.report?.explanation?.findings[t],i=e.rankOfWorld(n.rank),a=oo(e.whole,e.whole,n.start_ns,n.end_ns,null);e.store.set({...Nu(e,t,a,r?ju(r,n.rank):[n.rank]),selection:n.row===null?null:{rank:i,row:n.row}})}function Fu(e,t,n){let[r]=n.proof;if(r){Pu(e,t,r);return}let i=e.run?.iterations,[a,o]=n.iterations?.[0]??[],s=a===void 0?void 0:i?.from_ns[a],c=o===void 0?void 0:i?.until_ns[o],l=s===void 0||c===void 0||c<=s?e.main:{...e.main,from:s,until:c};e.store.set({...Nu(e,t,l,ju(n,null)),selection:null})}function Iu(e,{rank:t,ns:n}){let{whole:r,main:i}=e,a=Math.max((i.until-i.from)/50,1e3),o=e.positions[t]??-1,s=oo(r,r,n-a/2,n+a/2,o<0?null:o);e.store.set({page:`views`,finding:null,area:null,selection:null,...co({...s,row_from:0,row_until:e.rows},r,i)})}function Lu(e,t,n){let r=[n.evidence.function,...Array.isArray(n.evidence.functions)?n.evidence.functions:[]].map(t=>typeof t==`string`?e.names?.functionId(t)??null:null).filter(e=>e!==null),i={page:`views`,finding:t,filter:{...ul,functions:r.length?r:null},area:null,selection:null,from:null,until:null,isWhole:!1,left:`table`,right:`scatter`,table:{by:n.sites.length>1?`site`:`rank`,sort:`total_ns`,ascending:!1},scatter:{...e.store.state.scatter,x:`end`,y:`duration`,x_min:null,x_max:null,y_min:null,y_max:null}};e.store.set(i)}Je();var Ru=(e,t,n)=>{let r=new Map;for(let i=t;i<=n;i++)r.set(e[i],i);return r},zu=dt(class extends ft{constructor(e){if(super(e),e.type!==ut.CHILD)throw Error(`repeat() can only be used in text expressions`)}dt(e,t,n){let r;n===void 0?n=t:t!==void 0&&(r=t);let i=[],a=[],o=0;for(let t of e)i[o]=r?r(t,o):o,a[o]=n(t,o),o++;return{values:a,keys:i}}render(e,t,n){return this.dt(e,t,n).values}update(e,[t,n,r]){let i=bt(e),{values:a,keys:o}=this.dt(t,n,r);if(!Array.isArray(i))return this.ut=o,a;let s=this.ut??=[],c=[],l,u,d=0,f=i.length-1,p=0,m=a.length-1;for(;d<=f&&p<=m;)if(i[d]===null)d++;else if(i[f]===null)f--;else if(s[d]===o[p])c[p]=_t(i[d],a[p]),d++,p++;else if(s[f]===o[m])c[m]=_t(i[f],a[m]),f--,m--;else if(s[d]===o[m])c[m]=_t(i[d],a[m]),gt(e,c[m+1],i[d]),d++,m--;else if(s[f]===o[p])c[p]=_t(i[f],a[p]),gt(e,i[d],i[f]),f--,p++;else if(l===void 0&&(l=Ru(o,p,m),u=Ru(s,d,f)),l.has(s[d])){if(l.has(s[f])){let t=u.get(o[p]),n=t===void 0?null:i[t];if(n===null){let t=gt(e,i[d]);_t(t,a[p]),c[p]=t}else c[p]=_t(n,a[p]),gt(e,i[d],n),i[t]=null;p++}else xt(i[f]),f--}else xt(i[d]),d++;for(;p<=m;){let t=gt(e,c[m+1]);_t(t,a[p]),c[p++]=t}for(;d<=f;){let e=i[d++];e!==null&&xt(e)}return this.ut=o,yt(e,c),Ne}}),Bu=[[/^h(ours?)?$/,36e11],[/^m(in(utes?)?)?$/,6e10],[/^s(ec(onds?)?)?$/,1e9],[/^ms$/,1e6],[/^[uµμ]s$/,1e3],[/^ns$/,1]],Vu=/(\d+(?:[.,]\d+)?|[.,]\d+)\s*([a-zµμ]+)\s*/y;function Hu(e){let t=e.trim().toLowerCase().replace(/[\u2009\u202f]/g,``);if(!t)return null;let[n,r]=[0,0],i=1/0;for(;n<t.length;){Vu.lastIndex=n;let e=Vu.exec(t),a=e&&Bu.find(([t])=>t.test(e[2]))?.[1];if(!e||!a||a>=i)return null;i=a,r+=Number(e[1].replace(`,`,`.`))*a,n=Vu.lastIndex}return Math.round(r)}var Uu=String.raw`\s*(?:-|–|\.\.|\bto\b)\s*`,Wu=RegExp(`^(\\d{1,9})(?:${Uu}(\\d{1,9}))?$`),Gu=1e6;function Ku(e){let t=Hu(e);if(t!==null)return{kind:`time`,from:t,until:null};for(let[t,n]of[...e.matchAll(new RegExp(Uu,`g`))].map(e=>[e.index,e[0].length])){let r=e.slice(t+n),i=/[a-zµμ]+\s*$/i.exec(r)?.[0]??``,a=e.slice(0,t),[o,s]=[Hu(a)??Hu(a+i),Hu(r)];if(o!==null&&s!==null&&s>o)return{kind:`time`,from:o,until:s}}return null}function qu(e){let t=new Set;for(let n of e.split(`,`)){let e=Wu.exec(n.trim()),[r,i]=[Number(e?.[1]),Number(e?.[2]??e?.[1])];if(!e||i<r||i-r>Gu)return null;for(let e=r;e<=i;e++)t.add(e)}return{kind:`ranks`,ranks:[...t],isOne:t.size===1}}function Ju(e){let t=Wu.exec(e),[n,r]=[Number(t?.[1]),Number(t?.[2]??t?.[1])];return t&&r>=n?{kind:`iterations`,first:n,last:r}:null}var Yu=(...e)=>e.filter(e=>e!==null);function Xu(e){let[,t,n]=/^(?:go\s*to\s+)?(?:(ranks?|iterations?|iter|time)\b)?\s*(.*)$/.exec(e.trim().toLowerCase());return n?t===`time`?Yu(Ku(n)):t?.startsWith(`rank`)?Yu(qu(n)):t?Yu(Ju(n)):Yu(Ku(n),qu(n),Ju(n)):[]}var Zu=e=>/^\s*(go\s*to\b|(ranks?|iterations?|iter|time)\s*$|[\d.,]+\s*[a-zµμ]{0,3}\s*$)/i.test(e);F(),Mi(),uo();var Qu=1/20,$u=16,ed=class extends Error{};function td(e,t){let n=Xu(t),r=[],i=[];for(let t of n)try{r.push(nd(e,t))}catch(e){if(!(e instanceof ed))throw e;i.push(e.message)}return r.length?{destinations:r,problem:null}:{destinations:r,problem:i.join(` `)||(Zu(t)?`Enter a time (12.5 s, 1 min 3 s, 2 s..3 s), ranks (rank 7, ranks 0-15) or an iteration (iteration 184).`:null)}}function nd(e,t){if(!e.run)throw new ed(`The run is still loading.`);return t.kind===`time`?ad(e,t.from,t.until):t.kind===`iterations`?ud(e,t.first,t.last):t.isOne?cd(e,t.ranks[0]):ld(e,t.ranks)}function rd(e,t,n={}){e.store.set({page:`views`,...co(to(t,e.whole),e.whole,e.main),...n})}var id=({from:e,until:t})=>{let n=(t-e)/100;return`${P(e,n)} to ${P(t,n)}`};function ad(e,t,n){let{whole:r,window:i}=e,a=[t,n??t].find(e=>e<r.from||e>r.until);if(a!==void 0)throw new ed(`${P(a,1e6)} is outside the run, which lasts from ${id(r)}.`);let o=n===null?Math.min(i.until-i.from,(r.until-r.from)*Qu):n-t,s=n===null?t:(t+n)/2,c=to({...i,from:s-o/2,until:s+o/2},r);return{title:n===null?`Go to ${P(t,o/100)}`:`Go to ${id({from:t,until:n})}`,detail:`shows ${id(c)}`,run:()=>rd(e,c)}}function od(e,t){let{world_rank:n}=e.run.ranks,r=n.reduce((e,t)=>Math.max(e,t),0),i=new Map(n.map((e,t)=>[e,t])),a=t.filter(e=>!i.has(e));if(a.length)throw new ed(`There ${a.length===1?`is no rank`:`are no ranks`} ${Jt(a)}: the run has ${r?`ranks 0 to ${r}`:`only rank 0`}.`);return t.map(e=>i.get(e))}function sd(e,t){let n=od(e,t).map(t=>e.positions[t]??-1),r=t.filter((e,t)=>n[t]<0);if(r.length)throw new ed(`${r.length===1?`Rank ${r[0]} is`:`Ranks ${Jt(r)} are`} not shown. Use “Show all ranks” first.`);return[...new Set(n)].sort((e,t)=>e-t)}function cd(e,t){let[n]=sd(e,[t]),{window:r}=e,i=n>=r.row_from&&n+1<=r.row_until&&r.row_until-r.row_from<=32,a=Math.min(r.row_until-r.row_from,$u),o=i?r:{...r,row_from:n+.5-a/2,row_until:n+.5+a/2};return{title:`Go to rank ${t}`,detail:`shows ${e.folded.has(n)?`the row of ${e.nameAt(n)}`:`its row`} and selects it over the visible time`,run:()=>rd(e,o,{area:{from:Math.round(r.from),until:Math.round(r.until),row_from:n,row_until:n+1}})}}function ld(e,t){let n=sd(e,t),[r,i]=[n[0],n.at(-1)],a=`Go to ranks ${Jt(t)}`;if(i-r+1===n.length)return{title:a,detail:`shows their ${j(n.length)} rows`,run:()=>rd(e,{...e.window,row_from:r,row_until:i+1})};let o=Y(e.store.state.order,`ranks`,Jt(od(e,t)));return{title:a,detail:`shows only these ${j(n.length)} rows; “Show all ranks” shows the others again`,run:()=>e.store.set({page:`views`,order:o,row_from:null,row_until:null,area:null})}}function ud(e,t,n){let{iterations:r}=e.run;if(!r)throw new ed(`mpiscope found no iterations in this run.`);let i=Math.min(r.count,r.from_ns.length),a=[t,n].find(e=>e>=i);if(a!==void 0)throw new ed(`There is no iteration ${a}: the run has ${i===1?`only iteration 0`:`iterations 0 to ${i-1}`}.`);let o={...e.window,from:r.from_ns[t],until:r.until_ns[n]};return{title:t===n?`Go to iteration ${t}`:`Go to iterations ${t} to ${n}`,detail:`shows ${id(o)}`,run:()=>rd(e,o)}}function dd(e,t,n){ud(e,t,n).run()}var fd=7,pd=10,md=5;function hd({app:e,layout:t,window:n}){return e.notes.notes.flatMap(e=>e.at_ns!==null&&e.at_ns>=n.from&&e.at_ns<=n.until?[{note:e,x:Z(t,n,e.at_ns)}]:[])}function gd(e,t,n,r){let i=fd/2;e.beginPath(),e.moveTo(t-i,n),e.lineTo(t+i,n),e.lineTo(t+i,n+r),e.lineTo(t,n+r-3),e.lineTo(t-i,n+r),e.closePath(),e.fill(),e.stroke()}function _d(e,t){let{app:n,layout:r,window:i,ink:a}=t;e.fillStyle=a.accent,e.strokeStyle=a.panel,e.lineWidth=1;for(let{note:a,x:o}of hd(t)){gd(e,o,r.axisTop+2,pd);let t=a.rank===null?-1:n.positions[a.rank]??-1;t>=0&&t+1>i.row_from&&t<i.row_until&&gd(e,o,Math.max(r.top,Q(r,i,t)),pd)}}function vd(e,t,n){let{layout:r}=e;if(n<r.axisTop||n>=r.axisTop+r.axisHeight||t<r.left)return null;let i=hd(e).filter(e=>Math.abs(e.x-t)<=md);return i[i.length-1]?.note??null}var yd=6;function bd(e,t,n,r,i,a=yd){let o=Math.atan2(i-n,r-t);e.beginPath(),e.moveTo(r,i),e.lineTo(r-a*Math.cos(o-.4),i-a*Math.sin(o-.4)),e.lineTo(r-a*Math.cos(o+.4),i-a*Math.sin(o+.4)),e.fill()}var xd=2;function Sd(e,t){let[n,r,i]=[1/0,-1/0,0];for(let{x0:a,x1:o,y0:s,y1:c}of e)n=Math.min(n,Math.max(a,t.left)),r=Math.max(r,Math.min(o,t.left+t.plotWidth)),i+=Math.min(Math.abs(c-s),t.plotHeight)*xd;return i/(Math.max(r-n,xd)*t.plotHeight)}function Cd({x0:e,y0:t,x1:n,y1:r},i,a){let[o,s]=[n-e,r-t],c=o*o+s*s,l=c>0?Math.max(0,Math.min(1,((i-e)*o+(a-t)*s)/c)):0;return Math.hypot(i-e-l*o,a-t-l*s)}function wd(e,t,n,r){let i=null,a=1/0;for(let o of e){let e=Cd(o,t,n);e>r(o)||e>a||(i=o,a=e)}return i}var Td=1e3,Ed=.7,Dd=.25,Od=.15,kd=.35,Ad=8,jd=400,Md=3,Nd=.8,Pd=.618034,Fd=e=>Ed+2.5*e/7;function Id(e,t){return t>0?Math.min(7,Math.floor(Math.sqrt(e/t)*Ad)):0}function Ld(e,t,n){return[t,Math.min(n,t+e.head.rows_per_block)]}function Rd(e,t){return .5+Nd*((e*Pd+(t<e?.5:0)+Math.abs(t-e)*.137)%1-.5)}function zd(e){let{app:t,layout:n,window:r,pictures:i}=e,{bundles:a}=i;if(!a||!t.store.state.layers.includes(`messages`))return[];let o=0;for(let e of a.count)o=Math.max(o,e);let s=$(n,r),c=[];for(let e=0;e<a.length;e++){let{bin_ns:i,rows_per_block:l}=a.head,u=a.from_ns[e]+i*Rd(a.sender[e]/l,a.receiver[e]/l),d=u+Math.max(0,a.latency_ns[e]);if(d<r.from||u>r.until)continue;let[f,p]=Ld(a,a.sender[e],t.rows),[m,h]=Ld(a,a.receiver[e],t.rows);if(Math.max(p,h)<=r.row_from||Math.min(f,m)>=r.row_until)continue;let g=Id(a.count[e],o),[_,v]=[Z(n,r,u),Z(n,r,d)];if(f===m&&p-f===1&&t.folded.has(f))continue;let y=f===m&&p-f>1,b=y?Q(n,r,f)+Math.min(2,s/4):Q(n,r,(f+p)/2),ee=y?Q(n,r,p)-Math.min(2,s/4):Q(n,r,(m+h)/2);c.push({x0:_,y0:b,x1:v,y1:ee,index:e,step:g})}return c.sort((e,t)=>e.step-t.step)}function Bd(e,t){let n=zd(t);if(!n.length)return;let{ink:r,pictures:i}=t,a=i.bundles,o=Math.max(kd,Math.min(1,Od/Sd(n,t.layout)));e.save(),e.strokeStyle=e.fillStyle=r.bundle,e.lineCap=`butt`;for(let t=0,r=0;t<Ad;t++){let i=r;for(;r<n.length&&n[r].step===t;)r++;if(i!==r){e.lineWidth=Fd(t),e.globalAlpha=o*(Dd+.35*t/7),e.beginPath();for(let{x0:t,y0:a,x1:o,y1:s}of n.slice(i,r))e.moveTo(t,a),e.lineTo(o,s);if(e.stroke(),!(n.length>jd))for(let o of n.slice(i,r))a.sender[o.index]!==a.receiver[o.index]&&bd(e,o.x0,o.y0,o.x1,o.y1,5+Fd(t))}}e.restore()}function Vd(e,{x:t,y:n}){return wd(zd(e),t,n,({step:e})=>Fd(e)/2+Md)?.index??null}var Hd=e=>e>=12?2:+(e>=5),Ud=2,Wd=(e,t)=>e>1&&t/e>=Ud;function Gd(e,t,n,r){let i=e-Hd(e)-t;return Wd(n,i)?{top:t+i/n*r,height:i/n}:{top:t,height:i}}function Kd(e,t,n,r){let i=e-Hd(e)-t;return Wd(n,i)?Math.max(0,Math.min(n-1,Math.floor((r-t)/i*n))):null}var qd=class{#e;#t;constructor(e){this.cells=null,this.picture=null,this.#e=!1,this.#t=e}drop(){this.cells=null,this.picture=null}async draw(e,t,n,r){let{head:i}=e;if(!i.rows||!i.columns_count)return!1;let a=Math.max(1,Math.min(64,Math.round(i.rows_per_block/n)));this.#e=!0;let o=await this.#t.draw({kind:`cells`,buffer:e.buffer,rowPx:a,style:r},[e.buffer]);if(this.#e=!1,o.error)throw Error(o.error);if(this.cells!==e||!o.buffer)return!1;this.cells=Pl(o.buffer);let s=this.picture;return this.picture={bitmap:o.bitmap,from:i.from_ns,until:i.from_ns+i.columns_count*i.bin_ns,row_from:i.row_from,row_until:i.row_from+i.rows*i.rows_per_block,nsPerPx:t,rowsPerPx:n},s?.bitmap.close(),!0}async redraw(e){let{cells:t,picture:n}=this;return!!t&&!!n&&!this.#e&&this.draw(t,n.nsPerPx,n.rowsPerPx,e)}},Jd=class{#e=new Map;add(e,t){let n=this.#e.get(e);n?n.add(t):this.#e.set(e,new Set([t]))}has(e,t){return this.#e.get(e)?.has(t)??!1}},Yd=class{#e=new Jd;constructor(e,t,n,r){this.isPale=new Uint8Array(e.length);let[i,a]=[t&&new Set(t),new Set(r)],o=n&&new Jd;for(let e=0;n&&e<n.length;e++)o.add(n.rank[e],n.row[e]);for(let t=0;t<e.length;t++){let[n,r,s]=[e.rank[t],e.row[t],e.function[t]],c=(!i||i.has(s))&&(!o||o.has(n,r));this.isPale[t]=+!c,c&&!a.has(s)&&this.#e.add(n,r)}}has(e,t){return this.#e.has(e,t)}};function Xd(e,t,n,r){let i=0;for(let a=0;a<e.length;a++){let o=r[e.rank[a]]??-1;o+1>n.row_from&&o<n.row_until&&e.start_ns[a]<n.until&&e.start_ns[a]+e.duration_ns[a]>=n.from&&!t.isPale[a]&&i++}return i}function Zd({head:e,calls:t},n){let r=0;for(let i=0;i<e.rows;i++){let a=e.row_from+i*e.rows_per_block;if(!(a+e.rows_per_block<=n.row_from||a>=n.row_until))for(let a=0;a<e.columns_count;a++){let o=e.from_ns+a*e.bin_ns;o+e.bin_ns>n.from&&o<n.until&&(r+=t[i*e.columns_count+a])}}return r}function Qd(e){let t=e.getElementById(`mpiscope-worker`)?.textContent;if(!t)return null;let n=URL.createObjectURL(new Blob([Uint8Array.from(atob(t.trim()),e=>e.charCodeAt(0))],{type:`text/javascript`}));return new Worker(n,{name:`raster`})}var $d=class{#e=Qd(document)??new Worker(new URL(new URL(`raster.worker.js`,import.meta.url).href,``+import.meta.url),{type:`module`,name:`raster`});#t=new Map;#n=0;constructor(){this.#e.onmessage=e=>{this.#t.get(e.data.id)?.(e.data),this.#t.delete(e.data.id)}}draw(e,t=[]){let n=this.#n++;return new Promise(r=>{this.#t.set(n,r),this.#e.postMessage({...e,id:n},t)})}close(){this.#e.terminate()}},ef=65535/4,tf=8;function nf(e,t,n){let{head:r}=e,i=n.map(e=>{let t=0;for(let r=e.parent;r!==null&&t<tf;r=n[r]?.parent??null)t++;return t}),a=new Map;t.forEach((e,t)=>e>=0&&a.set(e,t));let o=[],s=[],c=[],l=[],u=[],d=new Int32Array(tf),f=new Uint16Array(tf),p=new Int32Array(tf);for(let t=0;t<r.rows;t++){let n=a.get(r.row_from+t);if(n!==void 0){p.fill(-1);for(let a=0;a<r.columns_count;a++){d.fill(-1),f.fill(0);let m=t*r.columns_count+a;for(let t=e.offset[m];t<e.offset[m+1];t++){let n=e.function[t],r=i[n];r===void 0||r>=tf||e.share[t]<ef||e.share[t]<=f[r]||(d[r]=n,f[r]=e.share[t])}let h=r.from_ns+a*r.bin_ns;for(let e=0;e<tf;e++){let t=p[e];t>=0&&s[t]===d[e]?u[t]=h+r.bin_ns:d[e]>=0?(p[e]=o.length,o.push(n),s.push(d[e]),c.push(e),l.push(h),u.push(h+r.bin_ns)):p[e]=-1}}}}return{length:o.length,rank:Uint32Array.from(o),region:Uint32Array.from(s),depth:Uint8Array.from(c),start_ns:Float64Array.from(l),end_ns:Float64Array.from(u)}}var rf=e=>new Set(e.functions.filter(e=>e.class===`rma`).map(e=>e.id)),af=e=>!!e?.functions.some(e=>e.class===`rma`);function of(e,t){let n=[];for(let r=0;r<e.length;r++)t.has(e.function[r])&&e.peer[r]>=0&&(e.bytes_sent[r]>0||e.bytes_received[r]>0)&&n.push(r);return n}function sf(e){let{calls:t,accesses:n,matching:r}=e,i=n.filter(e=>r?.has(t.rank[e],t.row[e])??!0);return i.length<=2e3?i:null}function cf(e){let{app:t,layout:n,window:r,pictures:i}=e,{calls:a}=i;if(!a||!i.isSingle||!t.store.state.layers.includes(`rma`))return[];let o=$(n,r)/2,s=[];for(let c of sf(i)??[]){let[i,l]=[a.rank[c],a.peer[c]],[u,d]=[t.positions[i]??-1,t.positions[l]??-1],f=a.start_ns[c],p=f+a.duration_ns[c];if(u<0||d<0||p<r.from||f>r.until||u===d&&t.folded.has(u)||Math.max(u,d)+1<r.row_from||Math.min(u,d)>r.row_until)continue;let m=a.bytes_sent[c]>0,h=a.bytes_received[c]>0,[g,_]=[Lf(e,u,i,a.row[c]),Q(n,r,d)+o],[v,y]=m?[g,_]:[_,g];s.push({x0:Z(n,r,f),y0:v,x1:Z(n,r,p),y1:y,index:c,isToTarget:m,isFromTarget:h})}return s}function lf(e,t){let{ink:n,app:r,pictures:i}=t,a=cf(t);if(!a.length)return;let{selection:o}=r.store.state,s=i.calls;e.save();for(let t of a){let r=o!==null&&s.rank[t.index]===o.rank&&s.row[t.index]===o.row;e.strokeStyle=e.fillStyle=r?n.accent:n.rma,e.lineWidth=r?2.5:1.5,e.setLineDash([6,3]),e.beginPath(),e.moveTo(t.x0,t.y0),e.lineTo(t.x1,t.y1),e.stroke(),e.setLineDash([]),bd(e,t.x0,t.y0,t.x1,t.y1),t.isToTarget&&t.isFromTarget&&bd(e,t.x1,t.y1,t.x0,t.y0);let[i,a]=t.isToTarget?[t.x0,t.y0]:[t.x1,t.y1];t.isToTarget&&!t.isFromTarget&&(e.beginPath(),e.arc(i,a,2,0,2*Math.PI),e.fill())}e.restore()}var uf=3;function df(e,{x:t,y:n}){return wd(cf(e),t,n,()=>uf)?.index??null}fr();var ff=.25,pf=(e,t)=>e?Xn(t,e,ff):0;function mf(e,t){let n=new Set(t);return{...e,colours:e.colours.map((t,r)=>n.has(r)?t:pf(t,e.compute)),hasWaits:!1}}var hf=65536;function gf(e,t,n,r){let i=new Uint32Array(hf),a=new Uint32Array(hf),o=new Set(t),s=new Map(e.classes.map((e,t)=>[e.id,t]));for(let t of e.functions)a[t.id]=(s.get(t.class)??255)*hf+t.id,o.has(t.id)||(i[t.id]=Yn(n.function(t.id)));return{colours:i,places:a,compute:Yn(ar[n.theme]),hatch:Yn(or[n.theme]),hasWaits:r,isOver:!1}}Et(),Ot(),ml();var _f=4e4,vf=2e3,yf=500,bf=400,xf=60,Sf=.34,Cf=36;function wf(e){return e>=16?Math.min(Cf,Math.floor(e*Sf)):0}var Tf=class{#e;#t;#n;#r;#i;#a;#o;#s;#c;#l;#u;#d;#f;#p;#m;#h;#g;#_;#v;#y;#b;#x;#S;#C;#w;#T;constructor(e,t){this.base=null,this.single=null,this.calls=null,this.matching=null,this.isSingle=!1,this.waits=null,this.messages=null,this.bundles=null,this.threads=null,this.accesses=[],this.collectives=null,this.regions=null,this.path=null,this.apart=new $l,this.error=null,this.isBusy=!1,this.done=null,this.#e=`t${Math.random().toString(36).slice(2,8)}`,this.#t=0,this.#i=new $d,this.#a=new qd(this.#i),this.#o=new qd(this.#i),this.#s=null,this.#c=new Dt,this.#l=new Dt,this.#u=new Dt,this.#d=null,this.#f=0,this.#p=null,this.#m=``,this.#h=!1,this.#g=null,this.#_=``,this.#v=null,this.#y=null,this.#b=null,this.#x=0,this.#S=``,this.#C=!1,this.#w=null,this.#T=null,this.#n=e,this.#r=t}close(){this.#c.cancel(),this.#l.cancel(),this.#u.cancel(),this.#d!==null&&clearTimeout(this.#d),this.#i.close()}get near(){return this.#a.picture}get over(){return this.#o.picture}get allCells(){return this.#a.cells}get cells(){return this.#o.cells??this.#a.cells}get#E(){let{order:e,filter:t}=this.#n.store.state;return JSON.stringify([e,t,this.#n.growth,this.#n.rows])}update(e,t){let n=this.#n;if(!n.run||n.run.state===`failed`||n.rows===0||n.run.state===`building`&&n.run.files)return;this.#y=e;let r=this.#v?.plotWidth!==t.plotWidth||this.#v?.plotHeight!==t.plotHeight;this.#v=t;let i=n.store.state,a=i.layers,o=JSON.stringify([i.hidden,n.colours.key,a.includes(`waits`),a.includes(`regions`),n.run.functions.length]),s=this.#E;o!==this.#_&&(this.#_=o,this.#g=gf(n.run,i.hidden,n.colours,a.includes(`waits`)),this.#B(),this.#m=``),(s!==this.#m||r)&&(this.#m=s,this.#h=!0),a.includes(`path`)&&!this.#C&&n.run.is_explained&&this.#z(),this.bundles&&this.#w!==i.hidden&&!this.isBusy&&(this.#p=null);let c=this.#p,l=this.#T===null||Of(e,this.#T),u=this.#b===null||this.calls===null||!n.client.kept||Of(e,this.#b);if(l&&u&&c&&c.data===s&&Gl({...c.window,nsPerPx:c.nsPerPx,rowsPerPx:c.rowsPerPx},e,t)){this.isBusy||this.#L();return}let d=JSON.stringify([i.order,i.filter]);d!==this.#S&&(this.#S=d,this.#a.drop(),this.#o.drop(),this.#N(),this.#P()),this.#D()}#D(){if(this.#d!==null)return;let e=Math.max(0,this.#f+xf-performance.now());this.#d=setTimeout(()=>{this.#d=null,this.#O()},e)}async#O(){let e=this.#n,t=this.#v,n=this.#y;if(!t||!n||!e.run)return;this.#f=performance.now();let r=Wl(n,e.whole),i=devicePixelRatio||1,a=(r.until-r.from)/(n.until-n.from),o=(r.row_until-r.row_from)/(n.row_until-n.row_from),s=(n.until-n.from)/t.plotWidth,c=(n.row_until-n.row_from)/t.plotHeight,l=this.#E;this.#p={window:r,nsPerPx:s,rowsPerPx:c,data:l},this.#T=null,this.isBusy=!0,this.#r();let u=`${this.#e}-${this.#t++}`;try{await this.#c.run(async l=>{let{order:d,filter:f}=e.store.state;this.#j(u,l);let p={from:Math.floor(r.from),until:Math.ceil(r.until),columns:Math.min(4096,Math.max(16,Math.round(t.plotWidth*a*i))),row_from:r.row_from,row_until:r.row_until,rows:Ef(t.plotHeight,c,o),order:d,ask:u},m=await this.#k(this.#a,p,s,c,l);if(!m)return;let{kept:h}=e.client,g=h?Df(r,this.#y??n,h,e.whole):r,_=m.head.calls_total<=_f||h!==null,v=this.#W(this.#a,m,s,c),y=g!==null&&_&&e.run.state===`ready`,b=!y&&this.#A?this.#k(this.#o,{...p,...f},s,c,l):null,ee=y?this.#I(g,l):h?this.#N():this.#M(r,t,m,l),te=y?null:this.#F(r,l),ne=$l.isNeeded(e,n,t);ne||this.apart.clear();let re=ne?this.apart.ask(e,r,p.columns,this.#i,this.#g,l):null,ie=await b;ie?await this.#W(this.#o,ie,s,c):l.aborted||this.#o.drop(),await Promise.all([v,ee,te,re]),l.aborted||this.#L()})}catch(e){Ct(e)||(this.error=wt(e))}this.isBusy=this.#c.isBusy,this.isBusy||(this.done=null),this.#r()}async#k(e,t,n,r,i){let{client:a}=this.#n,o=t=>{this.error=null,this.done=null,e.cells=t},s=await a.cells(e.picture?t:{...t,quick:!0},i);if(i.aborted)return null;if(o(s),s.head.has_finer){if(await this.#W(e,s,n,r),i.aborted||(s=await a.cells(t,i),i.aborted))return null;o(s)}return s}get#A(){let{filter:e}=this.#n.store.state;return fl(e)&&(pl(e)||this.#n.run?.state===`ready`&&!this.#n.client.isExported)}async#j(e,t){let{filter:n}=this.#n.store.state;if(this.done=null,!pl(n)&&this.#A)for(;;){if(await new Promise(e=>setTimeout(e,bf)),t.aborted||!this.isBusy)return;let n=await this.#n.client.working(e,t).catch(()=>null);if(t.aborted||!this.isBusy)return;n!==null&&(this.done=n,this.#r())}}async#M(e,t,n,r){this.#N();let i=this.#n,{head:a}=n;if(!(i.store.state.layers.includes(`regions`)&&i.run.regions.length>0&&i.run.state===`ready`)||a.rows_per_block!==1||wf($(t,this.#y))===0)return;let o=await i.client.cells({from:Math.floor(e.from),until:Math.ceil(e.until),columns:Math.min(4096,Math.max(16,2*a.columns_count)),row_from:a.row_from,row_until:a.row_from+a.rows,rows:Math.min(2048,a.rows),order:i.store.state.order,layer:`regions`},r).catch(Af);!r.aborted&&o&&(this.regions=nf(o,i.ownPositions,i.run.regions),this.#r())}#N(){this.single=null,this.calls=null,this.threads=null,this.accesses=[],this.#s=null,this.matching=null,this.isSingle=!1,this.waits=null,this.collectives=null,this.regions=null}#P(){this.messages=null,this.#T=null,this.bundles=null}async#F(e,t){let n=this.#n;if(n.run.state!==`ready`){this.#P();return}let{order:r,filter:i,hidden:a}=n.store.state;this.#w=a;let o=this.#y,s=this.#v,c={from:Math.floor(e.from),until:Math.ceil(e.until),row_from:e.row_from,row_until:e.row_until,order:r},l=(e,t,n,r)=>Math.max(4,Math.round(e/t*(n/r))),u=Math.min(4096,l(s.plotWidth,16,e.until-e.from,o.until-o.from)),d=Math.min(2048,l(s.plotHeight,14,e.row_until-e.row_from,o.row_until-o.row_from)),f=a.length?(i.functions??n.run.functions.map(e=>e.id)).filter(e=>!a.includes(e)):i.functions,p={...i,functions:f,...c},m=await n.client.bundles({...p,columns:u,rows:d,limit:Td},t).catch(Af);if(t.aborted)return;let h=m?.head.basis?.kind===`calls`&&m.head.total<=vf&&!n.client.isExported?await n.client.messages({...p,limit:vf},t).catch(Af):null;if(t.aborted)return;let g=h!==null&&!h.head.is_cut;this.#T=null,this.messages=g?h:null,this.bundles=g?null:m,this.#r()}async#I(e,t){let n=this.#n,r=n.run,{order:i,filter:a}=n.store.state,o={from:Math.floor(e.from),until:Math.ceil(e.until),row_from:e.row_from,row_until:e.row_until,order:i},s=_f,c=!pl(a),l={...a,ranks:null,...o,limit:vf},u={functions:a.functions,comm:a.comm,...o,limit:yf},[d,f,p,m,h,g]=await Promise.all([n.client.calls({...o,limit:s},t),c?n.client.calls({...a,...o,limit:s},t):null,n.client.waits({...o,limit:s},t).catch(Af),n.client.messages(l,t).catch(Af),n.client.collectives(u,t).catch(Af),r.regions.length?n.client.regions({...o,limit:_f},t).catch(Af):null]);if(t.aborted)return;let _=this.#y,v={from:Math.floor(_.from),until:Math.ceil(_.until),row_from:Math.floor(_.row_from),row_until:Math.ceil(_.row_until)},y=m?.head.is_cut?await n.client.messages({...l,...v},t).catch(Af):null;if(t.aborted)return;let b=y??m,ee=b?.head.is_cut?this.#F(e,t):null;this.calls=d,this.threads=r.ranks.threads.some(e=>e>1)?new Mf(d,r.ranks.threads):null,this.accesses=of(d,rf(r)),this.#s=f,this.waits=p,ee||(this.messages=b,this.bundles=null,this.#T=y&&!y.head.is_cut?v:null),this.collectives=h,this.regions=g,this.isSingle=!d.head.is_cut,this.#b=e,await Promise.all([this.#G(),ee])}#L(){this.#h&&(this.#h=!1,this.#R())}async#R(){let e=this.#n,t=this.#v,n=e.whole;try{await this.#l.run(async r=>{let{order:i}=e.store.state,a=await e.client.cells({from:n.from,until:n.until,columns:Math.min(2048,Math.max(16,t.plotWidth)),row_from:0,row_until:n.row_until,rows:64,order:i,quick:!0},r),o=Math.max(1,Math.min(6,Math.floor(192/Math.max(1,a.head.rows)))),{head:s}=a,c=await this.#i.draw({kind:`cells`,buffer:a.buffer,rowPx:o,style:this.#U()},[a.buffer]);!r.aborted&&c.bitmap&&(this.base={bitmap:c.bitmap,from:s.from_ns,until:s.from_ns+s.columns_count*s.bin_ns,row_from:s.row_from,row_until:s.row_from+s.rows*s.rows_per_block,nsPerPx:s.bin_ns,rowsPerPx:s.rows_per_block/o},this.#r())})}catch(e){Ct(e)||(this.error=wt(e),this.#r())}}async#z(){this.#C=!0;try{let e=await this.#u.run(e=>this.#n.client.path(e));e&&(this.path=e),e&&!e.length&&this.#n.say(`The critical path of this run is unknown.`)}catch(e){this.#n.fail(e)}this.#r()}async#B(){(await Promise.all([this.#a.redraw(this.#V()),this.#o.redraw(this.#H())])).some(Boolean)&&this.#r(),this.calls&&await this.#G(),await this.apart.draw(this.#i,this.#g),this.#r()}#V(){return fl(this.#n.store.state.filter)?mf(this.#g,null):this.#g}#H(){return{...this.#g,isOver:!0}}#U(){let{filter:e}=this.#n.store.state;return fl(e)?mf(this.#g,pl(e)?e.functions:null):{...this.#g,hasWaits:!1}}async#W(e,t,n,r){await e.draw(t,n,r,e===this.#a?this.#V():this.#H())&&this.#r()}async#G(){let e=this.#n,{calls:t,waits:n}=this,r=this.#b,i=this.#y,a=this.#v;if(!t||!r||!i||!a||!e.run)return;let o=++this.#x,{filter:s,hidden:c}=e.store.state,l=fl(s)||c.length?new Yd(t,s.functions,this.#s,c):null,u=n&&l?kf(n,l):n,d=Math.max(1,Math.min(64,Math.round($(a,i)))),f=(i.until-i.from)/a.plotWidth,p=Math.max(1,Math.min(8192,Math.round((r.until-r.from)/f*(devicePixelRatio||1)))),m=e.store.state.layers.includes(`regions`)&&e.run.regions.length>0,h=await this.#i.draw({kind:`calls`,calls:{length:t.length,rank:t.rank,thread:t.thread,start_ns:t.start_ns,duration_ns:t.duration_ns,function:t.function,flags:t.flags},waits:u?{length:u.length,rank:u.rank,start_ns:u.start_ns,end_ns:u.end_ns}:null,isPale:l?.isPale??null,view:{...r,width:p,rowPx:d,positions:e.ownPositions,folded:Int32Array.from(e.folded.keys()),threads:Uint16Array.from(e.run.ranks.threads),free:m?wf(d):0},style:this.#g});h.bitmap&&o===this.#x&&this.calls===t&&(this.matching=l,this.single={...r,bitmap:h.bitmap,nsPerPx:f,rowsPerPx:1/d},this.#r())}get countMatching(){let{store:e,window:t,positions:n}=this.#n;return fl(e.state.filter)?this.isSingle?this.calls&&this.matching&&Xd(this.calls,this.matching,t,n):this.#o.cells&&Zd(this.#o.cells,t):null}};function Ef(e,t,n){let r=(t>1?e/2:e)*n;return Math.min(2048,Math.max(1,Math.round(r)))}function Df(e,t,n,r){return Math.max(t.from,r.from)>=n.from&&Math.min(t.until,r.until)<=n.until?{...e,from:Math.max(e.from,n.from),until:Math.min(e.until,n.until)}:null}var Of=(e,t)=>e.from>=t.from&&e.until<=t.until&&e.row_from>=t.row_from&&e.row_until<=t.row_until;function kf(e,t){let n=Array.from(e.rank.keys()).filter(n=>t.has(e.rank[n],e.row[n]));return{length:n.length,rank:Uint32Array.from(n,t=>e.rank[t]),start_ns:Float64Array.from(n,t=>e.start_ns[t]),end_ns:Float64Array.from(n,t=>e.end_ns[t])}}function Af(e){if(Ct(e))throw e;return null}var jf=11,Mf=class{#e=new Map;constructor(e,t){for(let n=0;n<e.length;n++){let r=e.rank[n];if((t[r]??1)<=1)continue;let i=this.#e.get(r);i||this.#e.set(r,i=new Map),i.set(e.row[n],e.thread[n])}}of(e,t){return this.#e.get(e)?.get(t)??null}};function Nf({app:e,layout:t,window:n}){return e.store.state.layers.includes(`regions`)&&e.run?.regions.length?wf($(t,n)):0}var Pf=({app:e},t)=>e.run?.ranks.threads[t]??1,Ff=({pictures:e})=>e.isSingle&&e.single!==null;function If(e,t,n){let r=$(e.layout,e.window),i=Pf(e,t),a=e.app.folded.has(e.app.positions[t]??-1);return n===null||i<=1||a||!Ff(e)?{top:0,height:r}:Gd(r,Nf(e),i,n)}function Lf(e,t,n,r){let i=If(e,n,e.pictures.threads?.of(n,r)??null);return Q(e.layout,e.window,t)+i.top+i.height/2}function Rf(e,t,n,r){return Ff(e)?Kd($(e.layout,e.window),Nf(e),Pf(e,t),r-Q(e.layout,e.window,n)):null}function zf(e,t){let n=Pf(e,t);if(n<=1||!Ff(e))return[];let r=Array.from({length:n},(n,r)=>If(e,t,r));return r[1].top>r[0].top&&r[0].height>=jf?r:[]}var Bf=3;function Vf({from_ns:e},t,n){let r=(e.length>1?(e[e.length-1]-e[0])/(e.length-1):t.until-t.from)/(t.until-t.from)*n.plotWidth;return{px:r,every:r>=Bf?1:Math.ceil(Bf/Math.max(r,1e-9))}}function Hf(e,t,n,r){let{from_ns:i,until_ns:a}=e,o=Vl(n,t,r),{every:s}=Vf(e,t,n),c=Kl(a,o),l=c-c%s,u=Math.min(l+s,i.length)-1;return c<i.length&&o>=i[l]?{first:l,last:u}:null}Ti(),F(),V();var Uf=105,Wf=13;function Gf(e,{app:t,layout:n,whole:r,window:i,pictures:a,ink:o}){let s=n.mapTop+3,c=n.mapHeight-6,l=r.until-r.from,u=Kf(t.run,r),d=e=>n.left+(e-r.from)/l*n.plotWidth;e.fillStyle=o.compute,e.fillRect(d(u.from),s,d(u.until)-d(u.from),c);let f=a.base;if(f){e.imageSmoothingEnabled=!0;let[t,n]=[Math.max(u.from,f.from),Math.min(u.until,f.until)],r=f.bitmap.width/(f.until-f.from);n>t&&e.drawImage(f.bitmap,(t-f.from)*r,0,(n-t)*r,f.bitmap.height,d(t),s,d(n)-d(t),c)}let p=n.left+(i.from-r.from)/l*n.plotWidth,m=Math.max(p+2,n.left+(i.until-r.from)/l*n.plotWidth);(p>n.left||m<n.left+n.plotWidth-.5)&&(e.fillStyle=o.shade,e.fillRect(n.left,s,p-n.left,c),e.fillRect(m,s,n.left+n.plotWidth-m,c),e.strokeStyle=o.accent,e.lineWidth=2,e.strokeRect(p,s-1,m-p,c+2)),e.font=B,e.textAlign=`right`,e.textBaseline=`middle`,e.fillStyle=o.muted,e.fillText(t.comparison.isTwo?`both runs`:`whole run`,n.left-6,s+c/2)}function Kf(e,t){return e?{from:Math.max(e.from_ns,t.from),until:Math.min(Math.max(e.until_ns,e.from_ns),t.until)}:t}function qf(e,t,n){let r=bi(t-e,n),i=xi(e,t,n);if(r>=1e5)return{base:null,step:r,ticks:i,texts:i.map(e=>P(e,r))};let a=10**Math.ceil(Math.log10(t-e)),o=Math.floor(e/a)*a;return{base:o,step:r,ticks:i,texts:i.map(e=>`+${k(Math.round((e-o)*1e3)/1e3)}`)}}function Jf(e,{layout:t,window:n,ink:r}){let i=t.axisTop,{base:a,ticks:o,texts:s}=qf(n.from,n.until,Math.max(2,t.plotWidth/Uf));e.strokeStyle=r.line,e.lineWidth=1,e.font=xr,e.textBaseline=`middle`,e.textAlign=`left`,o.forEach((a,o)=>{let c=Math.round(Z(t,n,a))+.5;e.beginPath(),e.moveTo(c,i+4),e.lineTo(c,i+t.axisHeight),e.stroke(),c+60>t.left+t.plotWidth||(e.fillStyle=r.muted,e.fillText(s[o],c+4,i+t.axisHeight/2+1))}),e.textAlign=`right`,e.font=B,a===null&&!t.rulerHeight&&(e.fillStyle=r.muted,e.fillText(`rank`,t.left-6,i+t.axisHeight/2+1)),a!==null&&(e.fillStyle=r.text,e.fillText(P(a,10**Math.floor(Math.log10(Math.max(1,n.until-n.from)))),t.left-4,i+t.axisHeight/2+1,t.left-6))}function Yf(e,{app:t,layout:n,window:r,ink:i}){let a=t.run?.iterations;if(!a||!n.rulerHeight)return;let o=n.rulerTop,s=n.rulerHeight-3,{from_ns:c,until_ns:l,phases:u}=a;e.font=B,e.textBaseline=`middle`,e.textAlign=`right`,e.fillStyle=i.muted,e.fillText(`iteration`,n.left-6,o+s/2),e.save(),e.beginPath(),e.rect(n.left,o,n.plotWidth,s),e.clip();let d=Kl(l,r.from),{px:f,every:p}=Vf(a,r,n),m=p*Math.max(1,bi(Math.ceil(34/Math.max(f,1e-9)/p),1));d=Math.max(0,d-d%p);let h=function*(e){for(let t=d-d%e;t<c.length&&c[t]<r.until;t+=e)yield[t,Z(n,r,c[t]),Z(n,r,l[Math.min(t+e-1,l.length-1)])]};for(let[t,r,a]of h(p)){e.fillStyle=i.phases[t/p%2],e.fillRect(r,o,Math.max(1,a-r),s);let c=Math.max(r,n.left)+3+e.measureText(String(t)).width+5;if(!(!u||a-r<160))for(let t of u){let n=r+(a-r)*t.from;e.fillStyle=i.muted,e.fillRect(n,o,1,s);let l=t.name.replace(/^computation between .*/,`computation`),[u,d]=[Math.max(n+4,c),n+(a-r)*(t.until-t.from)];d-u>e.measureText(l).width+4&&(e.textAlign=`left`,e.fillText(l,u,o+s/2+.5))}}e.fillStyle=i.text,e.textAlign=`left`;let g=n.left;for(let[t,r,i]of h(m)){let a=Math.max(r,n.left)+3,c=a+e.measureText(String(t)).width;i<=n.left||a<g||c>n.left+n.plotWidth||(e.fillText(String(t),a,o+s/2+.5),g=c+8)}e.restore()}function Xf(e,t){let{app:n,layout:r,window:i,ink:a}=t,o=nu(t),s=_u(t),c=$(r,i);e.save(),e.beginPath(),e.rect(0,r.top,r.left,r.plotHeight),e.clip();let l=n.order?.value??null,u=0;if(l)for(let e of l)u=Math.max(u,e);let d=c>=13?1:Math.max(1,bi(Math.ceil(13/c),1)),f=n.store.state.selection?n.positions[n.store.state.selection.rank]??-1:-1;e.font=xr,e.textAlign=`right`,e.textBaseline=`middle`;for(let p=Math.max(0,Math.floor(i.row_from/d)*d);p<Math.min(n.rows,i.row_until);p+=d){let m=Q(r,i,p),h=f>=p&&f<p+d;if(l&&u>0){e.fillStyle=a.line;let t=(l[p]??0)/u*(r.left-r.groupWidth-4);e.fillRect(r.left-2-t,m+1,t,Math.max(1,c*d-2))}let g=m+Math.max(c/2,6);if(o.some(e=>Math.abs(tu(e)-g)<Wf)||n.folded.has(p)||s.some(({group:e,y:t})=>e.is_folded&&Math.abs(t-g)<Wf))continue;e.fillStyle=h?a.accent:a.text;let _=n.rankAt(h&&d>1?f:p),v=d===1?zf(t,_):[];v.forEach(({top:t,height:i},a)=>e.fillText(`${n.worldRank(_)} · t${a}`,r.left-6,m+t+i/2+.5)),v.length||e.fillText(String(n.worldRank(_)),r.left-6,g+.5)}bu(e,t,s,o),e.restore(),e.fillStyle=a.line,e.fillRect(r.left-1,r.top,1,r.plotHeight)}function Zf(e,{whole:t,window:n,layout:r,ink:i}){let a=t.row_until-t.row_from;if(n.row_until-n.row_from>=a-1e-6)return;let o=r.left+r.plotWidth+2,s=r.top+(n.row_from-t.row_from)/a*r.plotHeight,c=Math.max(12,(n.row_until-n.row_from)/a*r.plotHeight);e.fillStyle=i.faint,e.fillRect(o,r.top,7,r.plotHeight),e.fillStyle=i.muted,e.fillRect(o,Math.min(s,r.top+r.plotHeight-c),7,c)}function Qf({app:e,window:t,pictures:n}){let r=`${Math.max(0,Math.floor(t.row_from))} to ${Math.max(0,Math.ceil(t.row_until)-1)}`,i=(t.until-t.from)/1e3,a=n.cells?`, about ${M(n.cells.head.calls_total,`call`,`calls`,Ht)}`:``;return`Timeline of ${e.store.state.order?`rows`:`ranks`} ${r} from ${P(t.from,i)} to ${P(t.until,i)}${a}`}F(),fr(),V();var $f=34,ep=1200;function tp(e,t){let{app:n,layout:r,window:i,pictures:a}=t,o=a.calls,s=$(r,i);if(!o||!a.single||s<12||!a.isSingle)return;let c=n.store.state,l=new Set(c.hidden),u=Nf(t),d=(i.until-i.from)/r.plotWidth*$f;e.font=B,e.textBaseline=`middle`,e.textAlign=`left`;let f=0;for(let c=0;c<o.length&&f<ep;c++){let p=o.duration_ns[c];if(p<d||l.has(o.function[c])||a.matching?.isPale[c])continue;let m=o.rank[c],h=Pf(t,m);if(h>1&&s/h<12)continue;let g=n.ownPositions[m]??-1;if(g+1<=i.row_from||g>=i.row_until||g<0)continue;let _=Math.max(r.left,Z(r,i,o.start_ns[c])),v=Math.min(r.left+r.plotWidth,Z(r,i,o.start_ns[c]+p));if(v-_<$f)continue;let y=o.function[c],b=n.colours.function(y),ee=n.names?.short(y)??``,te=`${ee}  ${k(p)}`,ne=(s-Hd(s)-u)/h,re=Q(r,i,g)+u+ne*(o.thread[c]+.5),ie=v-_-8,ae=e.measureText(te).width<=ie?te:np(e,ee,ie);if(!ae)continue;let oe=e.measureText(ae).width;e.fillStyle=I(b),e.fillRect(_+2,re-6,oe+4,12),e.fillStyle=$n(b),e.fillText(ae,_+4,re+.5),f++}}function np(e,t,n){if(e.measureText(t).width<=n)return t;for(let r=t.length-1;r>=3;r--){let i=`${t.slice(0,r)}…`;if(e.measureText(i).width<=n)return i}return``}function rp(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.regions,c=wf($(r,i));if(!s||!c)return;let l=0;for(let e of s.depth)l=Math.max(l,e);let u=Math.max(2,Math.min(13,Math.floor(c/(l+1))));e.font=B,e.textBaseline=`middle`,e.textAlign=`left`;for(let t=0;t<s.length;t++){let a=n.ownPositions[s.rank[t]]??-1;if(a<0||a+1<=i.row_from||a>=i.row_until)continue;let c=Math.max(r.left-2,Z(r,i,s.start_ns[t])),l=Math.min(r.left+r.plotWidth+2,Z(r,i,s.end_ns[t]));if(l<=c)continue;let d=Q(r,i,a)+s.depth[t]*u;e.fillStyle=o.phases[(s.region[t]+s.depth[t])%2],e.fillRect(c,d,Math.max(1,l-c),u-1),e.fillStyle=o.muted,e.fillRect(c,d,1,u-1),u>=10&&l-c>30&&(e.fillStyle=o.text,e.fillText(np(e,n.names?.region(s.region[t])??``,l-c-6),Math.max(c,r.left)+3,d+u/2))}}function ip(e,t,n,r,i,a){e.beginPath(),e.moveTo(t,n),e.lineTo(r,i),e.stroke(),a&&bd(e,t,n,r,i)}var ap=.03;function op(e){let{app:t,layout:n,window:r,pictures:i}=e,{messages:a,matching:o}=i;if(!a||a.head.is_cut||!t.store.state.layers.includes(`messages`))return[];let s=[];for(let i=0;i<a.length;i++){let c=t.positions[a.sender[i]]??-1,l=t.positions[a.receiver[i]]??-1;if(c<0||l<0||c===l&&t.folded.has(c)||!(o?.has(a.sender[i],a.send_row[i])??!0)&&!o?.has(a.receiver[i],a.receive_row[i]))continue;let u=a.sent_ns[i],d=a.received_ns[i];if(d<r.from||u>r.until||Math.max(c,l)+1<r.row_from||Math.min(c,l)>r.row_until)continue;let f=Lf(e,c,a.sender[i],a.send_row[i]),p=Lf(e,l,a.receiver[i],a.receive_done_row[i]);s.push({x0:Z(n,r,u),y0:f,x1:Z(n,r,d),y1:p,index:i})}return s}function sp(e,t){let{app:n,layout:r,window:i,ink:a}=t,o=op(t);if(o.length){let t=Sd(o,r);e.save(),e.strokeStyle=a.arrow,e.fillStyle=a.arrow,e.lineWidth=1,e.globalAlpha=Math.min(1,Math.max(ap,1/t));for(let{x0:n,y0:r,x1:i,y1:a}of o)ip(e,n,r,i,a,t<2&&o.length<600||i-n>12);e.restore()}let s=n.detail;if(s){e.strokeStyle=a.accent,e.fillStyle=a.accent,e.lineWidth=2;for(let a of s.messages){let o=n.positions[s.rank]??-1,c=n.positions[a.rank]??-1;if(o<0||c<0||a.sent_ns===null||a.received_ns===null)continue;let l=If(t,s.rank,s.thread),u=[Q(r,i,o)+l.top+l.height/2,Lf(t,c,a.rank,a.row)],[d,f]=a.direction.startsWith(`s`)?u:[u[1],u[0]];ip(e,Z(r,i,a.sent_ns),d,Z(r,i,a.received_ns),f,!0)}}}var cp=null;function lp(e,t){if(cp?.found===e&&cp.positions===t)return cp.operations;let n=n=>t[e.rank[n]]??-1,r=Array.from(e.operation,(t,r)=>{let i=Int32Array.from({length:e.member_offset[r+1]-e.member_offset[r]},(t,n)=>e.member_offset[r]+n).filter(e=>n(e)>=0).sort((e,t)=>n(e)-n(t));return{members:i,rows:i.map(n)}});return cp={found:e,positions:t,operations:r},r}function up(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.collectives;if(!s||s.head.is_cut)return;e.strokeStyle=o.collective,e.lineWidth=1;let c=Math.max(1,Math.floor(1/$(r,i))),{matching:l}=a;for(let{rows:a,members:o}of lp(s,n.positions)){if(l&&!o.some(e=>l.has(s.rank[e],s.row[e])))continue;let n=Math.max(0,Kl(a,i.row_from-1)-1),u=Math.min(a.length-1,Kl(a,i.row_until));if(!(n>u||o.length<2))for(let l of[s.start_ns,s.end_ns]){e.setLineDash(l===s.start_ns?[]:[3,2]),e.beginPath();for(let d=n;d<=u;d+=d+c>u&&d<u?u-d:c){let c=o[d],u=Z(r,i,l[c]),f=l===s.start_ns?s.row:s.done_row,p=Lf(t,a[d],s.rank[c],f[c]);d===n?e.moveTo(u,p):e.lineTo(u,p)}e.stroke()}}e.setLineDash([])}function dp(e,{app:t,layout:n,window:r,pictures:i,ink:a}){let o=i.path;if(!o?.length)return;let s=$(n,r)/2;e.strokeStyle=a.path,e.lineWidth=Math.min(3,Math.max(1.5,s/3)),e.lineJoin=`round`,e.beginPath();let c=!1,l=-1/0;for(let i=Math.max(0,Kl(o.until_ns,r.from)-1);i<o.length&&o.from_ns[i]<=r.until;i++){let a=t.positions[o.rank[i]]??-1;if(a<0){c=!1;continue}let u=Q(n,r,a)+s,d=Math.max(Z(n,r,o.from_ns[i]),n.left-10),f=Math.min(Z(n,r,o.until_ns[i]),n.left+n.plotWidth+10);c&&f-l<.5||(c?e.lineTo(d,u):e.moveTo(d,u),e.lineTo(f,u),l=f,c=!0)}e.stroke()}function fp(e,t){let{app:n,layout:r,window:i,ink:a}=t,o=n.detail,s=n.store.state.selection;if(!o||!s||o.rank!==s.rank||o.row!==s.row)return;let c=n.positions[o.rank]??-1;if(c<0)return;let l=Math.max(r.left-4,Z(r,i,o.start_ns)),u=Math.min(r.left+r.plotWidth+4,Z(r,i,o.start_ns+o.duration_ns)),d=If(t,o.rank,o.thread),f=Q(r,i,c)+d.top,p=Math.max(4,d.top===0&&d.height===$(r,i)?$(r,i)-Hd($(r,i)):d.height);e.strokeStyle=a.panel,e.lineWidth=4,e.strokeRect(l-1,f-1,Math.max(3,u-l+2),p+2),e.strokeStyle=a.selection,e.lineWidth=2,e.strokeRect(l-1,f-1,Math.max(3,u-l+2),p+2)}function pp(e,{app:t,layout:n,window:r,drag:i,ink:a}){let o=i??t.store.state.area;if(!o)return;let s=Z(n,r,o.from),c=Z(n,r,o.until),l=o.row_from===null?n.top:Q(n,r,o.row_from),u=o.row_until===null?n.top+n.plotHeight:Q(n,r,o.row_until);e.fillStyle=a.shade;let{left:d,top:f,plotWidth:p,plotHeight:m}=n,h=e=>Math.max(d,Math.min(d+p,e)),g=e=>Math.max(f,Math.min(f+m,e));e.fillRect(d,f,p,g(l)-f),e.fillRect(d,g(u),p,f+m-g(u)),e.fillRect(d,g(l),h(s)-d,g(u)-g(l)),e.fillRect(h(c),g(l),d+p-h(c),g(u)-g(l)),e.strokeStyle=a.accent,e.lineWidth=1.5,e.strokeRect(s,l,c-s,u-l);let _=k(o.until-o.from);e.font=B,e.textAlign=`center`,e.textBaseline=`top`;let v=e.measureText(_).width+8,y=Math.max(d+v/2,Math.min(d+p-v/2,(h(s)+h(c))/2));e.fillStyle=a.panel,e.fillRect(y-v/2,g(l)+2,v,14),e.fillStyle=a.text,e.fillText(_,y,g(l)+4)}function mp(e,{hover:t,layout:n,ink:r}){!t||t.y<n.top||(e.fillStyle=r.shade,e.fillRect(Math.round(t.x),n.top,1,n.plotHeight))}function hp(e,{app:t,layout:n,window:r,ink:i}){let{moment:a}=t.store.state;a===null||a<r.from||a>r.until||(e.fillStyle=i.accent,e.fillRect(Math.round(Z(n,r,a)),n.top,1,n.plotHeight))}var gp=e=>e.confidence===`certain`&&e.severity!==`hint`,_p=[`error`,`warning`,`hint`],vp=(e,t)=>Number(gp(t))-Number(gp(e))||_p.indexOf(e.severity)-_p.indexOf(t.severity),yp=2e3,bp=6;function xp({app:e,layout:t,window:n}){let r=[],i=$(t,n)/2;for(let a of[!1,!0])for(let o of e.report?.checks?.findings??[])if(!(o.suppressed||gp(o)!==a))for(let a of o.parties){let s=e.positions[e.rankOfWorld(a.rank)]??-1;if(!(a.at_ns===null||s+1<=n.row_from||s>=n.row_until||s<0||a.at_ns<n.from||a.at_ns>n.until)&&(r.push({finding:o,role:a.role,x:Z(t,n,a.at_ns),y:Q(t,n,s)+i}),r.length>=yp))return r}return r}function Sp(e,t){let{ink:n}=t;e.font=`bold 9px system-ui, sans-serif`,e.textAlign=`center`,e.textBaseline=`middle`;for(let{finding:r,x:i,y:a}of xp(t)){let t=gp(r);e.beginPath(),e.moveTo(i,a-bp-1),e.lineTo(i+bp+1,a),e.lineTo(i,a+bp+1),e.lineTo(i-bp-1,a),e.closePath(),e.fillStyle=t?n.path:n.panel,e.fill(),e.strokeStyle=t?n.panel:n.path,e.lineWidth=1.5,e.stroke(),e.fillStyle=t?n.panel:n.path,e.fillText(`!`,i,a+.5)}}function Cp(e,t){let n=xp(e).filter(e=>Math.abs(e.x-t.x)+Math.abs(e.y-t.y)<=8);return n[n.length-1]??null}F();var wp=.01;function Tp(e,t){let n=e.map((e,t)=>({finding:e,index:t})),r=new Set(e.filter(e=>e.caused_by===null).map(e=>e.id)),i=e=>e.caused_by===null||!r.has(e.caused_by),a=n.filter(({finding:e})=>i(e)),o=new Map([...a].reverse().map(({finding:e,index:t})=>[e.id,t])),s=a.map(e=>({...e,symptoms:o.get(e.finding.id)===e.index?n.filter(({finding:t})=>!i(t)&&t.caused_by===e.finding.id):[]})),c=({finding:{savable_ns:e}})=>e===null||e>=wp*t;return{roots:s.filter(c),moving:s.filter(e=>!c(e))}}function Ep(e,t){let{savable_ns:n,share:r,cost_ns:i,is_bound:a}=e;return n===null?{label:`costs`,share:N(r),also:[k(i)]}:{label:a?`saves at most`:`saves`,share:N(n/Math.max(1,t)),also:[`costs ${N(r)},`,k(i)]}}F();var Dp=(e,t)=>`${Yt(e).replace(/^r/,`R`)} ${e.length===1?t:t.replace(/^was /,`were `)}`,Op=e=>e.trim().replace(/\.$/,``);function kp({fate:e,in_flight:t}){let n=t[0]?`, in ${t[0].call}${t[0].site?` at ${t[0].site}`:``}`:``;switch(e.kind){case`killed`:return`was killed by ${e.signal_name??`a signal`}${n}`;case`aborted`:return`called MPI_Abort${n&&t[0].call!==`MPI_Abort`?n:``}`;case`exited`:return`ended without MPI_Finalize${e.exit_code?`, with exit status ${e.exit_code}`:``}${n}`;case`finalized-then-failed`:return`failed after MPI_Finalize${e.signal_name?` with ${e.signal_name}`:e.exit_code?` with exit status ${e.exit_code}`:``}`;case`unfinished`:return`ended without a record${n}`;case`running`:return null;default:return t.length?`did not return from ${t[0].call}`:null}}var Ap=[`SIGTERM`,`SIGKILL`,`SIGINT`,`SIGHUP`,`SIGALRM`,`SIGXCPU`,`SIGUSR1`,`SIGUSR2`],jp=({fate:e})=>e.kind===`aborted`||e.kind===`exited`||e.kind===`killed`&&!Ap.includes(e.signal_name??``);function Mp(e){let t=new Map;for(let n of e.overview.all_normal?[]:e.ranks){let e=kp(n);if(e===null)continue;let r=t.get(e);r?r.ranks.push(n.rank):t.set(e,{text:e,ranks:[n.rank],isOwn:jp(n)})}return[...t.values()].sort((e,t)=>Number(t.isOwn)-Number(e.isOwn))}function Np(e,t,n){let{rows_until_ns:r,first_ns:i,rows_from_ns:a,calls_lost:o,calls_unreadable:s}=e.ranks,c=[];for(let{text:e,ranks:i}of t?Mp(t):[]){let t=n(i[0]);c.push({weight:`bad`,text:`${Dp(i,e)}.`,at:r[t]===void 0?null:{rank:t,ns:r[t]}})}let l=t?.overview.missing??[];if(l.length){let e=l.flatMap(e=>Array.isArray(e)?Array.from({length:e[1]-e[0]+1},(t,n)=>e[0]+n):[e]);c.push({weight:`bad`,text:`The run has no data of ${Yt(e)}.`,at:null})}if(e.unreadable){let t=s?.findIndex(e=>e>0)??-1;c.push({weight:`bad`,text:`${Op(e.unreadable)}. The analysis covers the rest.`,at:t<0?null:{rank:t,ns:r[t]??0}})}let u=o.map((e,t)=>e-(s?.[t]??0)),d=u.flatMap((e,t)=>e>0?[t]:[]);if(d.length){let e=u.reduce((e,t)=>e+Math.max(0,t),0),t=(i??a)[d[0]];c.push({weight:`warn`,text:`${M(e,`call`)} of ${M(d.length,`rank`)} ${e===1?`was`:`were`} overwritten: the counts and times of functions include them, but the timeline starts after them. To keep them, record with a larger --buffer.`,at:t===void 0?null:{rank:d[0],ns:t}})}return c}function Pp(e){if(!e)return null;let{explanation:t,checks:n}=e,r=Mp(e)[0],i=r&&{weight:`bad`,text:`${Dp(r.ranks,r.text)}.`},{stuck:a}=t??{};if(r?.isOwn&&a?.kind!==`deadlock`)return i;if(a)return{weight:`bad`,text:`${a.kind===`deadlock`?`Deadlock`:`Stuck`}: ${Op(a.text)}.`};if(i)return i;let o=(n?.findings.filter(e=>!e.suppressed&&gp(e))??[]).sort(vp),[s]=o;if(s)return{weight:s.severity===`error`?`bad`:`warn`,text:`${Op(s.title)}${o.length>1?`, and ${M(o.length-1,`more finding`)} of the check`:``}.`};if(!t)return null;let c=Math.max(1,t.scope.rank_time_ns),{computing_ns:l,waiting_ns:u}=t.time,[d]=Tp(t.findings,c).roots;if(d){let{title:e,savable_ns:t,is_bound:n,share:r}=d.finding,i=t===null?`it costs ${N(r)} of the rank time`:`without it the run takes ${n?`up to `:``}${N(t/c)} less rank time`;return{weight:`warn`,text:`${Op(e)}; ${i}.`}}return{weight:`good`,text:`No finding costs much: ranks compute for ${N(l/c)} of the time and wait for ${N(u/c)}.`}}V();var Fp=2e3,Ip=5,Lp=null;function Rp(e){return Lp?.report!==e&&(Lp={report:e,of:new Map(Mp(e).flatMap(({text:e,ranks:t})=>t.map(t=>[t,e])))}),Lp.of}function zp({app:e,layout:t,window:n}){let{report:r,run:i}=e;if(!i)return[];let{rows_until_ns:a,calls_unreadable:o=[]}=i.ranks,s=[],c=$(t,n)/2,l=(r,i)=>{let o=e.positions[r]??-1,l=a[r];l===void 0||o<0||o+1<=n.row_from||o>=n.row_until||l<n.from||l>n.until||s.length>=Fp||s.push({text:i,x:Z(t,n,l),y:Q(t,n,o)+c})},u=r?Rp(r):new Map;for(let[t,n]of u)l(e.rankOfWorld(t),n);return o.forEach((t,n)=>t>0&&!u.has(e.worldRank(n))&&l(n,`is unreadable from here on`)),s}function Bp(e,t){let{ink:n,layout:r,window:i}=t,a=$(r,i)>=13;e.lineCap=`round`;for(let{x:i,y:o,text:s}of zp(t)){for(let[t,r]of[[5,n.panel],[2.5,n.path]])e.lineWidth=t,e.strokeStyle=r,e.beginPath(),e.moveTo(i-Ip,o-Ip),e.lineTo(i+Ip,o+Ip),e.moveTo(i+Ip,o-Ip),e.lineTo(i-Ip,o+Ip),e.stroke();if(!a)continue;let c=s.split(`, `)[0].replace(/^(was|is) /,``);e.font=B,e.textBaseline=`middle`;let l=e.measureText(c).width,u=!t.app.comparison.isTwo&&i+Ip+4+l<=r.left+r.plotWidth?i+Ip+4:i-Ip-4-l;u<r.left||(e.textAlign=`left`,e.fillStyle=n.panel,e.fillRect(u-2,o-6,l+4,12),e.fillStyle=n.path,e.fillText(c,u,o+.5))}e.lineCap=`butt`}function Vp(e,t){let n=zp(e).filter(e=>Math.abs(e.x-t.x)<=7&&Math.abs(e.y-t.y)<=7);return n[n.length-1]?.text??null}F(),V();function Hp(e,t){let{layout:n,ink:r}=t;e.fillStyle=r.panel,e.fillRect(0,0,n.width,n.height),e.save(),e.beginPath(),e.rect(n.left,n.top,n.plotWidth,n.plotHeight),e.clip(),Up(e,t),Gp(e,t),Kp(e,t),t.app.store.state.layers.includes(`regions`)&&rp(e,t),t.app.store.state.layers.includes(`collectives`)&&up(e,t),t.app.store.state.layers.includes(`path`)&&dp(e,t),Bd(e,t),sp(e,t),lf(e,t),ru(e,t),tp(e,t),Sp(e,t),Bp(e,t),fp(e,t),pp(e,t),hp(e,t),mp(e,t),e.restore(),Gf(e,t),Jf(e,t),Yf(e,t),Xf(e,t),iu(e,t),Zf(e,t),_d(e,t)}function Up(e,t){let{layout:n,pictures:r,window:i,ink:a}=t;e.fillStyle=a.background,e.fillRect(n.left,n.top,n.plotWidth,n.plotHeight),e.imageSmoothingEnabled=!1;let o=r.near,s=o!==null&&o.from<=i.from&&o.until>=i.until&&o.row_from<=i.row_from&&o.row_until>=i.row_until;r.base&&!s&&Wp(e,t,r.base),o&&Wp(e,t,o),r.over&&Wp(e,t,r.over),r.single&&r.isSingle&&Wp(e,t,r.single)}function Wp(e,t,n){let{layout:r,window:i}=t,a=Math.max(n.from,i.from-(i.until-i.from)*.01),o=Math.min(n.until,i.until+(i.until-i.from)*.01),s=Math.max(n.row_from,Math.floor(i.row_from)),c=Math.min(n.row_until,Math.ceil(i.row_until));if(a>=o||s>=c)return;let l=n.bitmap.width*(a-n.from)/(n.until-n.from),u=n.bitmap.width*(o-a)/(n.until-n.from),d=n.bitmap.height*(s-n.row_from)/(n.row_until-n.row_from),f=n.bitmap.height*(c-s)/(n.row_until-n.row_from),p=Z(r,i,a),m=Q(r,i,s);e.drawImage(n.bitmap,l,d,u,f,p,m,Z(r,i,o)-p,Q(r,i,c)-m)}function Gp(e,t){let{app:n,layout:r,window:i,ink:a}=t;if(!n.run||!n.comparison.isTwo)return;let{from:o,until:s}=Kf(n.run,t.whole),[c,l]=[Z(r,i,o),Z(r,i,s)],u=r.left+r.plotWidth;if(e.fillStyle=a.background,c>r.left&&e.fillRect(r.left,r.top,Math.min(c,u)-r.left,r.plotHeight),l>=u||(e.fillRect(Math.max(r.left,l),r.top,u-Math.max(r.left,l),r.plotHeight),l<r.left))return;e.fillStyle=a.text,e.fillRect(l,r.top,1.5,r.plotHeight),e.font=xr,e.textAlign=`left`,e.textBaseline=`top`;let d=`this run ends at ${k(s)}`,f=e.measureText(d).width,p=l+7+f<=u-5,m=p?l+7:l-7-f;m<r.left+5||(e.fillStyle=a.background,p||e.fillRect(m-4,r.top+3,f+8,18),e.fillStyle=a.text,e.fillText(d,m,r.top+6))}function Kp(e,t){let{app:n,layout:r,window:i,ink:a}=t,o=n.run?.ranks;if(!o)return;let s=$(r,i);if(s<.5)return;let c=Jp(e,a.absent);for(let t=Math.max(0,Math.floor(i.row_from));t<Math.min(n.rows,Math.ceil(i.row_until));t++){let l=n.rankAt(t),u=Q(r,i,t),d=s>=5?s-1:s,f=(o.first_ns??o.rows_from_ns)[l];if(f===void 0||!((o.calls_lost[l]??0)>0))continue;let p=Z(r,i,f);p>r.left&&(e.fillStyle=c,e.fillRect(r.left,u,Math.min(p,r.left+r.plotWidth)-r.left,d)),p>=r.left&&p<=r.left+r.plotWidth&&(e.fillStyle=a.path,e.fillRect(p-1,u,2,d),s>=13&&p-r.left>120&&(e.font=`10px system-ui, sans-serif`,e.textBaseline=`middle`,e.textAlign=`right`,e.fillStyle=a.text,e.fillText(`overwritten ▸`,p-5,u+d/2)))}}var qp=new Map;function Jp(e,t){if(e.hatched)return e.hatched(t);let n=qp.get(t);if(n)return n;let r=t;if(typeof OffscreenCanvas<`u`){let e=new OffscreenCanvas(8,8),n=e.getContext(`2d`);n.strokeStyle=t,n.lineWidth=1;for(let e of[-8,0,8])n.beginPath(),n.moveTo(e,8),n.lineTo(e+8,0),n.stroke();r=n.createPattern(e,`repeat`)??t}return qp.set(t,r),r}w(),F(),fr();var Yp=7;function Xp(e,t){return x`<svg class="swatch" viewBox="0 0 9 9" aria-hidden="true"><rect width="9" height="9" fill=${I(e.app.colours.function(t))}></rect></svg>`}function Zp(e,t,n){let{app:r,window:i,layout:a,pictures:o}=e,s=Math.floor(Hl(a,i,t.y)),c=Vl(a,i,t.x),l=r.rankAt(s),u=P(c,(i.until-i.from)/a.plotWidth),d=Rf(e,l,s,t.y),f=x`<div class="muted number">${r.nameAt(s)}${d===null?S:x`, thread ${d}`}, ${u}</div>`,p=Cp(e,t);if(p)return x`${f}<b>${p.finding.title}</b><div class="muted">${p.role}</div>`;let m=Vp(e,t);if(m)return x`${f}<b>${r.folded.has(s)?``:r.nameAt(s)} ${m}</b>`;let h=au(e,t.y);if(h)return em(e,h,c,u);let g=df(e,t);if(g!==null)return Qp(e,g);let _=Vd(e,t);if(_!==null)return $p(e,_);let{calls:v}=o;if(v&&o.isSingle&&!r.folded.has(s)){let i=n(t.x,t.y);if(i<0)return x`${f}${nm(e,l,c)??`computing`}`;let a=v.bytes_sent[i],s=v.bytes_received[i],u=v.peer[i],d=r.names?.comm(v.comm[i]);return x`${f}
      <b>${Xp(e,v.function[i])}${r.names?.function(v.function[i])}</b> ${k(v.duration_ns[i])}
      ${o.matching?.isPale[i]?x`<div class="muted">filtered out</div>`:S}
      ${v.count[i]>1?x`<div>${M(v.count[i],`poll`)}</div>`:S}
      <div class="muted">
        ${u>=0?x`peer ${r.worldRank(u)} `:S}${a?x`${A(a)} sent `:S}${s?x`${A(s)} received `:S}${d}
      </div>
      <div class="muted">${r.names?.site(v.site[i])}</div>`}let y=o.cells?Jl(o.cells,s,c):null;if(!y)return f;let b=y.row_until-y.row_from>1?x`<div class="muted">${r.order?`rows`:`ranks`} ${y.row_from} to ${Math.min(r.rows,y.row_until)-1}</div>`:S,ee=o.over&&o.allCells?Jl(o.allCells,s,c):null;return x`${f}${b}${tm(e,y,ee)}`}function Qp(e,t){let{app:n,pictures:r}=e,i=r.calls,[a,o]=[n.worldRank(i.rank[t]),n.worldRank(i.peer[t])],[s,c]=[i.bytes_sent[t],i.bytes_received[t]],l=Pf(e,i.rank[t])>1?x`, thread ${i.thread[t]}`:S,u=i.window[t];return x`<div class="muted number">rank ${a}${l}, target ${o}</div>
    <b>${Xp(e,i.function[t])}${n.names?.function(i.function[t])}</b> ${k(i.duration_ns[t])}
    ${s?x`<div class="number">${A(s)}, rank ${a} → ${o}</div>`:S}
    ${c?x`<div class="number">${A(c)}, rank ${o} → ${a}</div>`:S}
    <div class="muted">${u>=0?x`window ${u}, `:S}${n.names?.comm(i.comm[t])}</div>
    <div class="muted">${n.names?.site(i.site[t])}</div>`}function $p(e,t){let{app:n,pictures:r,window:i,layout:a}=e,o=r.bundles,s=n.order?`row`:`rank`,c=e=>{let[t,r]=Ld(o,e,n.rows),i=e=>n.order&&r-t>1?String(e):String(n.worldRank(n.rankAt(e)));return r-t>1?`${i(t)}–${i(r-1)}`:i(t)},[l,u]=[o.sender[t],o.receiver[t]],d=o.head.rows_per_block===1,f=(i.until-i.from)/a.plotWidth,[p,m]=[o.from_ns[t],o.from_ns[t]+o.head.bin_ns],h=o.latency_ns[t];return x`<b class="number">${M(o.count[t],`message`)}, ${A(o.bytes[t])}</b>
    <div class="number">${d?`rank`:`${s}s`} ${l===u&&!d?`${c(l)} among themselves`:`${c(l)} → ${c(u)}`}</div>
    <div class="muted number">sent from ${P(p,f)} to ${P(m,f)}${h>=0?x`, mean time in flight ${k(h)}`:S}</div>`}function em(e,t,n,r){let{app:i}=e,{apart:a}=t,o=ou(e,t,n);return x`<div class="muted number">rank ${i.worldRank(a.rank)}, ${r}</div>
    <b>${a.is_computing?`computes while others are in MPI`:`is in MPI while others compute`}: ${k(a.apart_ns)}</b>
    ${o?tm(e,o,null):S}`}function tm(e,t,n){let{app:r}=e,i=e=>e.shares.reduce((e,t)=>e+t.share,0),a=Math.max(i(t),n?i(n):0);return x`<table>
      ${t.shares.slice(0,Yp).map(t=>x`<tr><td>${Xp(e,t.id)}${r.names?.function(t.id)}</td><td class="number">${N(t.share)}</td></tr>`)}
      ${t.shares.length>Yp?x`<tr><td class="muted">and ${t.shares.length-Yp} more</td></tr>`:S}
      ${n?x`<tr><td class="muted">filtered out</td><td class="number">${N(a-i(t))}</td></tr>`:S}
      <tr><td>computing</td><td class="number">${N(Math.max(0,1-a))}</td></tr>
      ${t.waiting>0?x`<tr><td>waiting (inside calls)</td><td class="number">${N(t.waiting)}</td></tr>`:S}
    </table>
    ${n?S:x`<div class="muted number">
          ${M(t.calls,`call starts`,`calls start`)} here${t.longest_rank>=0?x`, the longest ${k(t.longest_ns)}`:S}
        </div>`}`}function nm(e,t,n){let r=e.app.run?.ranks;if(!r)return null;let i=(r.first_ns??r.rows_from_ns)[t],a=r.calls_lost[t]??0;return i!==void 0&&a>0&&n<i?`overwritten: ${M(a,`call`)} of this rank ${a===1?`was`:`were`} lost`:null}fr(),en();var rm=16;function im(e,{from:t,until:n,row_from:r,row_until:i}){let{head:a}=e,o=Math.max(0,Math.floor((t-a.from_ns)/a.bin_ns)),s=Math.min(a.columns_count,Math.ceil((n-a.from_ns)/a.bin_ns)),c=new Map;for(let t=0;t<a.rows;t++){let n=a.row_from+t*a.rows_per_block;if(!(n+a.rows_per_block<=r||n>=i))for(let n=o;n<s;n++){let r=t*a.columns_count+n;for(let t=e.offset[r];t<e.offset[r+1];t++){let n=e.function[t];n!==65535&&c.set(n,(c.get(n)??0)+e.share[t])}}}return c}function am(e,t){let{run:n,names:r,colours:i}=e;if(!t||!n)return[];let{hidden:a,colouring:o}=e.store.state,s=[...im(t,e.window)].filter(([e])=>!a.includes(e)).sort((e,t)=>t[1]-e[1]),c=e=>n.classes.find(t=>t.id===n.functions.find(t=>t.id===e)?.class)?.name??``,l=new Map;for(let[e]of s){let t=o===`class`?c(e):r?.function(e)??``;l.has(t)||l.set(t,I(i.function(e)))}return[...[...l].slice(0,rm).map(([e,t])=>({text:e,colour:t})),{text:`computing`,colour:I(ar[e.theme])}]}function om(e){let{app:t,pictures:n,ink:r}=e,i=[];return n.bundles?.length&&t.store.state.layers.includes(`messages`)&&i.push({text:`bundled messages; a thicker line has more`,colour:r.bundle}),cf(e).length&&i.push({text:`one-sided accesses (dashed)`,colour:r.rma}),i}w(),O(),R(),F(),en(),ui(),K(),W();function sm(e,t,n){let{head:r}=e,i=[];if(!e.offset.length)return i;let a=Math.max(0,Math.floor((t-r.from_ns)/r.bin_ns)),o=Math.min(r.columns_count,Math.ceil((n-r.from_ns)/r.bin_ns));for(let t=0;t<r.rows;t++){let n=new Map,s={row:r.row_from+t*r.rows_per_block,inside:0,waiting:0,calls:0,largest:null,longest_ns:0,longest:null};for(let i=a;i<o;i++){let c=t*r.columns_count+i;s.calls+=e.calls[c],e.longest_ns[c]>s.longest_ns&&(s.longest_ns=e.longest_ns[c],s.longest={rank:e.longest_rank[c],row:e.longest_row[c]});for(let t=e.offset[c];t<e.offset[c+1];t++){let r=e.share[t]/65535/(o-a);e.function[t]===65535?s.waiting+=r:(s.inside+=r,n.set(e.function[t],(n.get(e.function[t])??0)+r))}}for(let[e,t]of n)(!s.largest||t>s.largest.share)&&(s.largest={id:e,share:t});i.push(s)}return i}function cm(e,t){return t.calls&&t.isSingle?um(e,t,t.calls):lm(e,t)}function lm(e,t){let{from:n,until:r}=e.window,i=t.cells?sm(t.cells,n,r):[],a=t.cells?.head.rows_per_block??1,o=(e,t,n)=>q(e,t,e=>n(i[e]),N,{unit:`share`});return{label:`Timeline as a table: each row over the visible time`,columns:[{id:`rank`,title:a>1?`Rows`:e.folded.size?`Rank or group`:`Rank`,isNumber:!0,cell:t=>a>1?`${i[t].row}–${Math.min(e.rows,i[t].row+a)-1}`:e.folded.has(i[t].row)?e.nameAt(i[t].row):String(e.worldRank(e.rankAt(i[t].row)))},o(`computing`,`Computing`,e=>Math.max(0,1-e.inside)),o(`inside`,`In MPI`,e=>e.inside),o(`waiting`,`Waiting`,e=>e.waiting),q(`calls`,`Calls`,e=>i[e].calls,j),{id:`most`,title:`Most time in`,cell:t=>i[t].largest?`${e.names?.function(i[t].largest.id)} ${N(i[t].largest.share)}`:`–`,value:t=>(i[t].largest&&e.names?.function(i[t].largest.id))??null},{id:`longest`,title:`Longest call`,isNumber:!0,cell:e=>i[e].longest?k(i[e].longest_ns):`–`,value:e=>i[e].longest?i[e].longest_ns:null,unit:`ns`}],count:i.length,callOf:e=>{let t=i[e]?.longest;return t&&t.rank>=0?t:null}}}function um(e,t,n){let{from:r,until:i,row_from:a,row_until:o}=e.window,s=[];for(let c=0;c<n.length;c++){let l=e.positions[n.rank[c]]??-1;l<Math.floor(a)||l>=o||t.matching?.isPale[c]||n.start_ns[c]<i&&n.start_ns[c]+n.duration_ns[c]>r&&s.push(c)}let c=(i-r)/1e3,l=e=>s[e];return{label:`Timeline as a table: visible calls`,columns:[q(`rank`,`Rank`,t=>e.worldRank(n.rank[l(t)]),String),q(`start`,`Start`,e=>n.start_ns[l(e)],e=>P(e,Math.min(c,1e3)),{width:`minmax(130px, 1fr)`,unit:`ns`}),q(`duration`,`Duration`,e=>n.duration_ns[l(e)],k,{unit:`ns`}),{id:`function`,title:`Function`,cell:t=>e.names?.function(n.function[l(t)])??``},{id:`peer`,title:`Peer`,isNumber:!0,cell:t=>n.peer[l(t)]>=0?String(e.worldRank(n.peer[l(t)])):``},q(`bytes`,`Bytes`,e=>n.bytes_sent[l(e)]+n.bytes_received[l(e)],A,{unit:`bytes`}),{id:`site`,title:`Called from`,cell:t=>e.names?.site(n.site[l(t)])??``}],count:s.length,callOf:e=>({rank:n.rank[l(e)],row:n.row[l(e)]})}}var dm=class extends C{static{this.styles=[L]}constructor(){super(),this.round=0,new G(this)}render(){let{app:e,pictures:t}=this,{label:n,columns:r,count:i,callOf:a}=cm(e,t),{selection:o}=e.store.state;return x`<mp-vtable
      label=${n}
      .columns=${r}
      .count=${i}
      .isSelected=${e=>{let n=t.calls&&t.isSingle?a(e):null;return!!n&&n.rank===o?.rank&&n.row===o.row}}
      @activate=${t=>{let n=a(t.detail);n&&e.select(n)}}
    ></mp-vtable>`}};U([E({attribute:!1})],dm.prototype,`app`,void 0),U([E({attribute:!1})],dm.prototype,`pictures`,void 0),U([E({type:Number})],dm.prototype,`round`,void 0),dm=U([T(`mp-timeline-twin`)],dm),w(),O(),Ln(),R(),Ja(),F(),ba(),Gi(),Kr(),uo(),K(),V(),W();var fm=4,pm=12,mm=.0022,hm=20,gm=class extends C{static{this.styles=[L,l`
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
      .plot.ruler {
        cursor: pointer;
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
        bottom: 1px;
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
      .groups button {
        position: absolute;
        left: 1px;
        height: 14px;
        min-height: 0;
        padding: 0;
        border-radius: 3px;
        background: none;
      }
      .groups button:hover {
        background: color-mix(in srgb, var(--accent) 16%, transparent);
      }
      .groups button:focus-visible {
        outline-offset: -1px;
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
    `]}#e;#t;#n;#r;#i;#a;#o;constructor(){super(),this.view=`timeline`,this.isStill=!1,this.drag=null,this.hover=null,this.isPanning=!1,this.overRuler=null,this.overNote=null,this.labels=[],this.groupOfTab=null,this.#t=null,this.#n=0,this.#r=null,this.#i=null,this.#a=null,this.#o=0,new G(this,()=>this.#c()),new Gr(this,this)}connectedCallback(){super.connectedCallback(),this.#e=new Tf(this.app,()=>{this.#o++,this.#c(),this.requestUpdate()})}disconnectedCallback(){super.disconnectedCallback(),this.#a?.disconnect(),this.#e.close(),cancelAnimationFrame(this.#n),this.#n=0}get hasPicture(){return this.#e.near!==null}get regionsInSight(){return[...new Set(this.#e.regions?.region??[])]}get ranksApart(){let e=this.#l;return e?nu(e).map(({apart:e,y:t})=>({rank:e.rank,y:t})):[]}get lines(){let e=this.#l;return e&&{messages:op(e),accesses:cf(e),bundles:zd(e)}}placeOf(e,t,n){let r=this.#l,{layout:i,window:a,app:o}=r,s=If(r,e,t);return{x:Z(i,a,n),y:Q(i,a,o.positions[e])+s.top+s.height/2}}get isSettled(){return!this.#e.isBusy&&(this.#e.near!==null||this.#e.error!==null)}#s(){return this.renderRoot.querySelector(`.plot`)}updated(){this.#a||(this.#a=new ResizeObserver(()=>this.#c()),this.#a.observe(this)),this.#C(),this.renderRoot.querySelectorAll(`.groups button`).forEach((e,t)=>{let n=this.labels[t];n&&this.#t&&(e.style.top=`${n.y-7}px`,e.style.width=`${(n.group.is_folded?this.#t.left:this.#t.groupWidth)-4}px`)}),this.#c()}#c(){this.#n||!this.isConnected||(this.#n=requestAnimationFrame(()=>{this.#n=0,this.#u()}))}get#l(){let{app:e}=this;return!this.#t||!e.run?null:{app:e,window:e.window,whole:e.whole,layout:this.#t,pictures:this.#e,ink:z[e.theme],drag:this.drag,hover:this.hover}}#u(){let e=this.renderRoot.querySelector(`canvas`),{app:t}=this;if(!t.run||t.rows===0)return;let n=this.clientWidth,r=this.clientHeight;if(!n||!r||(this.#t=Bl(n,r,!!t.run.iterations,t.comparison.groupWidth,this.#O().length?hm:0),this.#e.update(t.window,this.#t),this.#d(),!e))return;let i=devicePixelRatio||1;(e.width!==Math.round(n*i)||e.height!==Math.round(r*i))&&(e.width=Math.round(n*i),e.height=Math.round(r*i));let a=e.getContext(`2d`,{alpha:!1});a.setTransform(i,0,0,i,0,0),Hp(a,this.#l)}#d(){let e=this.#l,t=e?_u(e):[];t.length===this.labels.length&&t.every(({group:e,y:t},n)=>e===this.labels[n].group&&t===this.labels[n].y)||(this.labels=t)}picture(){let e=this.#l;if(!e||!this.hasPicture)return null;let{width:t,height:n}=e.layout;return{width:t,height:n,keys:[...am(this.app,this.#e.cells),...om(e)],draw:t=>Hp(t,{...e,drag:null,hover:null})}}table(){return this.hasPicture?cm(this.app,this.#e):null}#f(e){let t=this.getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#p(e){let t=this.#t;if(!t||e.button>1)return;let{x:n,y:r}=this.#f(e),i=Ul(t,n,r);if(i===`none`)return;this.#s()?.setPointerCapture(e.pointerId),this.#s()?.focus({preventScroll:!0});let a=this.#l,o=a&&e.button===0?vd(a,n,r):null;o?this.#r={kind:`note`,note:o}:i===`map`?(this.#r={kind:`map`},this.#v(n)):i===`scroll`?this.#r={kind:`scroll`,y:r}:i===`ruler`&&e.button===0&&!e.shiftKey?this.#r={kind:`ruler`,x:n,y:r}:e.button===1||e.shiftKey||i===`axis`||i===`ruler`?(this.#r={kind:`pan`,x:n,y:r},this.isPanning=!0,e.preventDefault()):i===`gutter`?this.#y(r):this.#r={kind:`area`,x:n,y:r}}#m(e){let t=this.#t;if(!t)return;let{x:n,y:r}=this.#f(e),i=this.#r;if(!i){let e=Ul(t,n,r);this.hover=e===`plot`?{x:n,y:r}:null,this.overRuler=e===`ruler`?this.#_(n):null;let i=this.#l;this.overNote=i?vd(i,n,r):null;return}this.hover=this.overRuler=this.overNote=null;let{app:a}=this;if(i.kind!==`note`){if(i.kind===`map`)this.#v(n);else if(i.kind===`ruler`){if(Math.abs(n-i.x)<fm)return;this.#r={...i,kind:`pan`},this.isPanning=!0}else if(i.kind===`pan`)a.setWindow(io(a.window,a.whole,(i.x-n)/t.plotWidth,(i.y-r)/t.plotHeight),!0),i.x=n,i.y=r;else if(i.kind===`scroll`){let e=a.whole.row_until;a.setWindow(io(a.window,a.whole,0,(r-i.y)/t.plotHeight*e/(a.window.row_until-a.window.row_from)),!0),i.y=r}else(Math.abs(n-i.x)>=fm||this.drag)&&(this.drag=this.#h(i,{x:n,y:r}))}}#h(e,t){let n=this.#t,r=this.app.window,[i,a]=e.x<t.x?[e.x,t.x]:[t.x,e.x],[o,s]=e.y<t.y?[e.y,t.y]:[t.y,e.y],c=e=>Math.max(n.left,Math.min(n.left+n.plotWidth,e)),l=s-o<6,u=Math.max(0,Math.floor(Hl(n,r,Math.max(o,n.top)))),d=Math.min(this.app.rows,Math.ceil(Hl(n,r,Math.min(s,n.top+n.plotHeight))));return{from:Math.round(Vl(n,r,c(i))),until:Math.max(Math.round(Vl(n,r,c(a))),Math.round(Vl(n,r,c(i)))+1),row_from:l?null:u,row_until:l?null:Math.max(d,u+1)}}#g(e){let t=this.#r;if(this.#r=null,this.isPanning=!1,!t)return;if(t.kind===`note`){_a(this.app,t.note);return}if(t.kind===`ruler`){let e=this.#_(t.x);e&&dd(this.app,e.first,e.last);return}if(t.kind!==`area`){this.app.store.flush();return}let n=this.drag;this.drag=null;let r=this.isStill?{page:`views`}:{};n?this.app.store.set({...r,area:n}):this.#b(this.#f(e),r)}#_(e){let t=this.app.run?.iterations;return t&&this.#t?Hf(t,this.app.window,this.#t,e):null}#v(e){let t=this.#t,{window:n,whole:r}=this.app,i=r.from+(e-t.left)/t.plotWidth*(r.until-r.from),a=(n.until-n.from)/2;this.app.setWindow(to({...n,from:i-a,until:i+a},r),!0)}#y(e){let t=Math.floor(Hl(this.#t,this.app.window,e));if(t<0||t>=this.app.rows)return;let{from:n,until:r}=this.app.window;this.app.store.set({area:{from:Math.round(n),until:Math.round(r),row_from:t,row_until:t+1}})}#b({x:e,y:t},n){let r=this.#x(e,t),{store:i}=this.app,a=this.#t?Math.max(0,Math.round(Vl(this.#t,this.app.window,e))):null;r?i.set({...n,moment:a,selection:{rank:r.rank,row:r.row}}):i.state.area?i.set({area:null}):i.set({moment:a,selection:null})}#x(e,t){let n=this.#t,{app:r}=this;if(!n)return null;let i=r.window,a=Math.floor(Hl(n,i,t)),o=Vl(n,i,e),{calls:s,cells:c}=this.#e,l=this.#l,u=l&&au(l,t);if(u){let e=ou(l,u,o);return e&&e.longest_rank>=0&&e.shares.length?{rank:e.longest_rank,row:e.longest_row,index:-1}:null}let d=new Set(r.store.state.hidden);if(s&&this.#e.isSingle&&!r.folded.has(a)){let c=r.rankAt(a),u=l&&df(l,{x:e,y:t}),f=l&&Rf(l,c,a,t),p=u??ql(s,c,o,(i.until-i.from)/n.plotWidth*4,e=>d.has(e),f);return p>=0?{rank:s.rank[p],row:s.row[p],index:p}:null}let f=c?Jl(c,a,o):null;return f&&f.longest_rank>=0&&f.shares.length?{rank:f.longest_rank,row:f.longest_row,index:-1}:null}#S(e){let t=this.#t;if(!t)return;let n=e.ctrlKey||e.metaKey;if(this.isStill&&!n)return;e.preventDefault();let{app:r}=this,{x:i,y:a}=this.#f(e),o=e.deltaMode===1?16:e.deltaMode===2?400:1,s=e.deltaX*o,c=e.deltaY*o,l=Math.max(0,Math.min(1,(i-t.left)/t.plotWidth)),u=n?c<0?`in`:`out`:e.altKey?`rows`:`pan`;if((u!==this.#i?.kind||n&&Math.abs(i-this.#i.x)>pm)&&r.store.flush(),this.#i={kind:u,x:i},n)r.setWindow(no(r.window,r.whole,Math.exp(c*mm),l),!0);else if(e.altKey)r.setWindow(ro(r.window,r.whole,Math.exp(c*mm),Math.max(0,Math.min(1,(a-t.top)/t.plotHeight))),!0);else{let n=e.shiftKey&&!s?c:s,i=e.shiftKey&&!s?0:c;r.setWindow(io(r.window,r.whole,n/t.plotWidth,i/t.plotHeight),!0)}}#C(){let e=this.renderRoot.querySelector(`.tip`);if(!e||!this.hover)return;let{x:t,y:n}=this.hover,{offsetWidth:r,offsetHeight:i}=e,a=t+16+r>this.clientWidth?Math.max(0,t-r-12):t+16,o=n+16+i>this.clientHeight?Math.max(0,n-i-10):n+16;e.style.transform=`translate(${Math.round(a)}px, ${Math.round(o)}px)`}render(){let{app:e}=this,t=this.#e;if(e.store.state.twins.includes(`timeline`)&&!this.isStill)return x`<mp-timeline-twin .app=${e} .pictures=${t} .round=${this.#o}></mp-timeline-twin>`;let n=this.#l,r=n?Qf(n):`Timeline`,i=this.overRuler,a=this.overNote;return x`<div
        class="plot ${this.isPanning?`panning`:i||a?`ruler`:``}"
        title=${a?`${a.title}: click to open this view`:i?`${i.first===i.last?`iteration ${i.first}`:`iterations ${i.first} to ${i.last}`}: click to show`:S}
        role="group"
        tabindex="0"
        aria-label=${e.comparison.isTwo?`Timeline ${Wi[e.side]}`:`Timeline`}
        aria-describedby="summary"
        @pointerdown=${e=>this.#p(e)}
        @pointermove=${e=>this.#m(e)}
        @pointerup=${e=>this.#g(e)}
        @pointercancel=${()=>(this.#r=null,this.drag=null)}
        @pointerleave=${()=>this.hover=this.overRuler=this.overNote=null}
        @dblclick=${e=>this.#E(e)}
        @wheel=${{handleEvent:e=>this.#S(e),passive:!1}}
      >
        <canvas role="img" aria-label=${r}></canvas>
        ${this.labels.length?this.#w():S}
      </div>
      <span id="summary" class="hidden-text">${r}</span>
      ${this.#D()} ${t.isBusy?x`<div class="busy"></div>`:S}
      ${this.hover&&n&&!this.drag?x`<div class="tip">${Zp(n,this.hover,(e,t)=>this.#x(e,t)?.index??-1)}</div>`:S}
      ${t.error&&e.run?.state===`ready`?Pn(t.error):S}`}#w(){let{app:e,labels:t}=this,n=t.some(({group:e})=>e.number===this.groupOfTab)?this.groupOfTab:t[0].group.number;return x`<div class="groups" role="group" aria-label="Groups of ranks" @keydown=${e=>this.#T(e)}>
      ${zu(t,({group:e})=>e.number,({group:t})=>x`<button
          tabindex=${t.number===n?0:-1}
          aria-expanded=${!t.is_folded}
          aria-label=${fu(t)}
          title="${fu(t)}: click to ${t.is_folded?`unfold`:`fold`}"
          @pointerdown=${e=>e.stopPropagation()}
          @focus=${()=>this.groupOfTab=t.number}
          @click=${()=>Fa(e,t)}
        ></button>`)}
    </div>`}#T(e){let{labels:t}=this,n=t.findIndex(({group:e})=>e.number===this.groupOfTab),r=t[n]?.group;if(!r||e.ctrlKey||e.altKey||e.metaKey)return;let i={ArrowDown:n+1,ArrowUp:n-1,Home:0,End:t.length-1}[e.key];if(i!==void 0)this.renderRoot.querySelectorAll(`.groups button`)[i]?.focus();else if(e.key===(r.is_folded?`ArrowRight`:`ArrowLeft`))Fa(this.app,r);else if(e.key!==`ArrowRight`&&e.key!==`ArrowLeft`)return;e.preventDefault()}#E(e){let{x:t,y:n}=this.#f(e),r=this.#t;if(!r||Ul(r,t,n)!==`plot`)return;let{app:i}=this;i.setWindow(no(i.window,i.whole,.25,(t-r.left)/r.plotWidth),!1)}#D(){return x`<div class="status">${this.#O().map(e=>x`<span>${e}</span>`)}</div>`}#O(){let{app:e}=this,t=this.#e,n=[],r=t.countMatching;r!==null&&n.push(`${M(r,`matching call`)}`),t.isBusy&&t.done!==null&&n.push(`reading calls for the filter: ${Ut(t.done)}`);let{layers:i}=e.store.state,{bundles:a}=t;i.includes(`messages`)&&t.isSingle&&a?.head.basis&&a.length&&n.push(`${M(a.head.total,`message`,`messages`,Ht)} in bundles: zoom in to see arrows`),i.includes(`messages`)&&a&&!a.head.basis&&(r!==null||e.store.state.order)&&n.push(`messages of this filter or order: zoom in to see arrows`),i.includes(`rma`)&&t.isSingle&&!sf(t)&&n.push(`${M(t.accesses.length,`one-sided access`,`one-sided accesses`,Ht)}: zoom in to see arrows`);let{kept:o}=e.client;return o&&!this.isStill&&!t.isSingle&&n.push(`exported page: individual calls are available from ${P(o.from,(o.until-o.from)/100)} to ${P(o.until,(o.until-o.from)/100)}`),n}};U([E({attribute:!1})],gm.prototype,`app`,void 0),U([E({type:Boolean})],gm.prototype,`isStill`,void 0),U([D()],gm.prototype,`drag`,void 0),U([D()],gm.prototype,`hover`,void 0),U([D()],gm.prototype,`isPanning`,void 0),U([D()],gm.prototype,`overRuler`,void 0),U([D()],gm.prototype,`overNote`,void 0),U([D()],gm.prototype,`labels`,void 0),U([D()],gm.prototype,`groupOfTab`,void 0),gm=U([T(`mp-timeline`)],gm),uc();function _m(e,t){let n=(n,r,i,a,o)=>({title:n,level:r,unit:i,isMoreBetter:a,before:(e&&o(e))??null,after:(t&&o(t))??null}),r=e=>t=>t.explanation?.time[e];return[n(`Length`,0,`ns`,!1,e=>e.explanation&&e.explanation.scope.end_ns-e.explanation.scope.start_ns),n(`Rank time`,0,`ns`,!1,e=>e.explanation?.scope.rank_time_ns),n(`computing`,1,`ns`,null,r(`computing_ns`)),n(`waiting for other ranks`,1,`ns`,!1,r(`waiting_ns`)),n(`in MPI otherwise`,1,`ns`,!1,r(`communicating_ns`)),n(`Iteration`,0,`ns`,!1,e=>e.explanation?.iterations?.period_ns),n(`Parallel efficiency`,0,`share`,!0,e=>e.explanation?.efficiency?.parallel),n(`Load balance`,1,`share`,!0,e=>e.explanation?.efficiency?.load_balance),n(`Communication`,1,`share`,!0,e=>e.explanation?.efficiency?.communication),n(`Serialisation`,2,`share`,!0,e=>e.explanation?.efficiency?.serialisation),n(`Transfer`,2,`share`,!0,e=>e.explanation?.efficiency?.transfer),n(`MPI calls`,0,`count`,null,e=>e.overview.calls),n(`Ranks`,0,`count`,null,e=>e.overview.ranks)].filter(e=>e.before!==null||e.after!==null)}function vm(e,t){return e.id===t.id&&(e.sites.some(e=>t.sites.includes(e))||!e.sites.length||!t.sites.length)}function ym(e,t){let n=e?.explanation?.findings??[],r=(t?.explanation?.findings??[]).map((e,t)=>({finding:e,index:t})),i=new Set(r),a=[],o=n.map(e=>{let t=[...i].find(t=>vm(e,t.finding))??null;return t&&i.delete(t),t});n.forEach((e,t)=>{let n=o[t]??null;n||(n=[...i].find(t=>t.finding.id===e.id)??null,n&&i.delete(n)),a.push({id:e.id,fate:n?`stayed`:`gone`,before:{finding:e,index:t},after:n,difference_ns:(n?.finding.cost_ns??0)-e.cost_ns})});for(let e of i)a.push({id:e.finding.id,fate:`new`,before:null,after:e,difference_ns:e.finding.cost_ns});return a.sort((e,t)=>Math.abs(t.difference_ns)-Math.abs(e.difference_ns))}w(),O(),R(),F(),K(),W();var bm={ns:k,share:N,count:j},xm={gone:`gone`,stayed:`still there`,new:`new`},Sm=class extends C{static{this.styles=[L,_r,Eu,l`
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
    `]}constructor(){super(),new G(this)}render(){let{app:e}=this,[t,n]=e.comparison.apps;if(!t||!n)return x`<p class="note">One run is open. Use <code>mpiscope view RUN OTHER</code> to show two runs and the differences between them.</p>`;let r=[t,n].filter(e=>!Cm(e));return x`<div class="page">
      ${this.#e(t,n)}
      <section class="card wide" aria-label="Both runs on one time scale">
        <h2>
          Both runs on one time scale
          <button class="line" @click=${()=>e.store.set({page:`views`,left:`differences`})}>Open the timelines</button>
        </h2>
        ${[t,n].map(e=>x`<div class="name">${Tu(e)} <span class="muted number">${wm(e)}</span></div>
            ${Cm(e)?x`<div class="error" role="alert"><b>This run cannot be shown.</b> ${Cm(e)}</div>`:x`<div class="strip"><mp-timeline .app=${e} .isStill=${!0}></mp-timeline></div>`}`)}
      </section>
      ${this.#t(t,n)} ${this.#n(t,n)}
      ${r.length===2?x`<section class="card wide" aria-label="Where the time changed">
            <h2>Where the time changed <span class="muted">in MPI, sum of all ranks</span></h2>
            <div class="table"><mp-differences .app=${e}></mp-differences></div>
          </section>`:S}
    </div>`}#e(e,t){let[n,r]=[e,t].map(e=>e.run?.state===`ready`?xu(e):null);if(!n||!r)return S;let i=r/n,a=Math.abs(i-1)<.01?`as long as`:i<1?`shorter than`:`longer than`,o=[];e.run?.ranks.count!==t.run?.ranks.count&&o.push(`${j(e.run?.ranks.count??0)} ranks before, ${j(t.run?.ranks.count??0)} after: sums over all ranks are not comparable`),e.run?.mpi&&t.run?.mpi&&e.run.mpi.split(`,`)[0]!==t.run.mpi.split(`,`)[0]&&o.push(`${e.run.mpi.split(`,`)[0]} before, ${t.run.mpi.split(`,`)[0]} after`),e.run?.command.join(` `)!==t.run?.command.join(` `)&&o.push(`the commands differ`);for(let[n,r]of[[`before`,e],[`after`,t]])r.run?.predicted&&o.push(`${n} is predicted, not recorded`);return(e.run?.is_writing||t.run?.is_writing)&&o.push(`a program was still running when its run was opened`),x`<section class="card wide verdict" aria-label="Summary">
      <span
        ><b class=${i<.99?`good`:i>1.01?`bad`:``}>${a===`as long as`?`After is as long as before`:`After is ${N(Math.abs(1-i))} ${a} before`}</b>:
        <span class="number">${k(n)} → ${k(r)}</span>${a===`as long as`?``:x` <span class="muted number">(${Gt(i)})</span>`}</span
      >
      ${o.map(e=>x`<span class="muted">${e}</span>`)}
    </section>`}#t(e,t){let n=_m(e.report,t.report),r=e=>{if(e.before===null||e.after===null)return`–`;let t=e.after-e.before,n=!(Math.abs(t)>(e.unit===`share`?.005:Math.abs(e.before)/200))||e.isMoreBetter===null?``:t>0===e.isMoreBetter?`good`:`bad`,r=e.unit===`share`?oc(Math.round(t*1e3)/1e3,Wt):oc(t,bm[e.unit]);return x`<span class=${n}>${r}</span>`};return x`<section class="card" aria-label="Time and efficiencies">
      <h2>Time and efficiencies</h2>
      ${n.length?x`<table>
            <thead>
              <tr><th scope="col">Number</th><th scope="col">Before</th><th scope="col">After</th><th scope="col">Change</th></tr>
            </thead>
            <tbody>
              ${n.map(e=>x`<tr>
                  <td><span class=${e.level?`in${e.level}`:``}>${e.title}</span></td>
                  <td class="number">${e.before===null?`–`:bm[e.unit](e.before)}</td>
                  <td class="number">${e.after===null?`–`:bm[e.unit](e.after)}</td>
                  <td class="number">${r(e)}</td>
                </tr>`)}
            </tbody>
          </table>`:x`<p class="note" role="status">Loading the runs …</p>`}
      <p class="note">There is one run per side. To separate changes from noise, compare repeated runs with <code>mpiscope diff</code>.</p>
    </section>`}#n(e,t){let n=!!e.report?.explanation&&!!t.report?.explanation,r=ym(e.report,t.report);return x`<section class="card" aria-label="Findings of both runs">
      <h2>Changed findings <span class="muted">by change of cost in rank time</span></h2>
      ${n?r.length?x`<ol tabindex="0" aria-label="Findings of both runs">${r.map(n=>this.#r(n,e,t))}</ol>`:x`<p class="note">In neither run does anything cost more than 1 % of the rank time.</p>`:x`<p class="note" role="status">${e.run?.is_explained&&t.run?.is_explained?`The findings of one of the runs cannot be read.`:`The runs are being analysed …`}</p>`}
    </section>`}#r(e,t,n){let{before:r,after:i,fate:a}=e,o=(i??r).finding,s=e=>e?`${k(e.finding.cost_ns)} (${N(e.finding.share)})`:`nothing`,c=(e,t,n)=>t?.finding.proof.length&&e.run?.state===`ready`?x`<button class="line" @click=${()=>Pu(e,t.index,t.finding.proof[0])}>Show it ${n}</button>`:S;return x`<li>
      <div>
        <span class="fate ${a===`gone`?`good`:a===`new`?`bad`:``}">${xm[a]}</span>
        <div class="number muted">${oc(e.difference_ns,k)}</div>
      </div>
      <div>
        <h3>${o.title}</h3>
        <div class="number">${s(r)} → ${s(i)}</div>
        ${a!==`gone`&&o.advice?x`<div class="muted">${o.advice}</div>`:S}
        <div class="buttons">${c(t,r,`before`)} ${c(n,i,`after`)}</div>
      </div>
    </li>`}};U([E({attribute:!1})],Sm.prototype,`app`,void 0),Sm=U([T(`mp-compare`)],Sm);function Cm(e){return e.error?`${e.error.message}. ${e.error.next}`:e.run?.state===`failed`?`${e.run.failure?.what??`Reading the run failed`}. ${e.run.failure?.next??``}`:e.run&&e.run.state===`ready`&&e.run.calls===0&&!e.run.files?`The run has no MPI call.`:null}function wm(e){let{run:t}=e;if(!t)return`opening …`;let n=t.state===`building`?`loading, ${Ut(t.done)}`:null;return[t.command.slice(0,12).join(` `),M(t.ranks.count,`rank`),M(t.calls,`call`),k(xu(e)),n].filter(Boolean).join(` · `)}var Tm={ArrowLeft:`←`,ArrowRight:`→`,ArrowUp:`↑`,ArrowDown:`↓`,BracketLeft:`[`,BracketRight:`]`,Period:`.`,Comma:`,`,Slash:`/`,Escape:`Esc`,Home:`Home`,Equal:`+`,Minus:`−`},Em=e=>/^[a-z]$/.test(e);function Dm(e){let t=(e.key&&Em(e.key)?e.key.toUpperCase():e.key)??Tm[e.code??``]??(e.code??``).replace(/^(Key|Digit)/,``);return[e.ctrl?`Ctrl`:``,e.alt?`Alt`:``,e.shift?`Shift`:``,t].filter(Boolean).join(`+`)}function Om(e,t){return!!e.ctrl!==(t.ctrlKey||t.metaKey)||!!e.alt!==t.altKey?!1:e.key!==void 0&&!Em(e.key)?t.key===e.key:e.key===void 0?t.code===e.code&&!!e.shift===t.shiftKey:t.key.toLowerCase()===e.key&&!!e.shift===t.shiftKey}function km(e,t,n){return e.find(e=>e.keys.some(e=>Om(e,t))&&(e.when?.(n)??!0))??null}var Am=`input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]`,jm=/^[acvxyz]$/i;function Mm(){let e=document.activeElement;for(;e?.shadowRoot?.activeElement;)e=e.shadowRoot.activeElement;return e}function Nm(e,t){window.addEventListener(`keydown`,n=>{if(n.defaultPrevented)return;let r=e(),i=Mm()?.matches(Am)??!1,a=n.ctrlKey||n.metaKey||n.altKey,o=r.dialog!==null&&r.dialog!==`find`;if((i||o)&&!a||i&&jm.test(n.key)&&!n.altKey||!a&&!r.hasSingleKeys&&n.key.length===1)return;let s=km(t,n,r);s&&(n.preventDefault(),n.repeat&&s.group===`Step`&&r.isStepping||(n.repeat||r.store.hold(),s.run(r)))});for(let t of[`keyup`,`blur`])window.addEventListener(t,()=>e().store.flush())}uo();var Pm=1e5,Fm=200;async function Im(e,t){let n=t.at_ns;if(n===null)return;let r=e.rankOfWorld(t.rank),i=await e.client.calls({ranks:String(r),from:Math.max(0,n-Pm),until:n+Pm,limit:Fm}),a=-1,o=r=>{let a=i.start_ns[r],o=a+i.duration_ns[r];return(n<a?a-n:n>o?n-o:0)+(e.names?.function(i.function[r])===t.function?0:Pm)};for(let e=0;e<i.length;e++)(a<0||o(e)<o(a))&&(a=e);let[s,c]=a<0?[n,n]:[i.start_ns[a],i.start_ns[a]+i.duration_ns[a]],l=e.positions[r]??-1,u=oo(e.whole,e.whole,s,c,l<0?null:l);e.store.set({page:`views`,finding:null,area:null,selection:a<0?null:{rank:r,row:i.row[a]},...co({...u,row_from:0,row_until:e.rows},e.whole,e.main)})}w(),O(),R(),F(),Mo(),ti(),K(),W();var Lm=8,Rm=6,zm=class extends C{static{this.styles=[L,yr,br,l`
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
    `]}constructor(){super(),this.isAll=!1,new G(this)}render(){let e=this.app.report?.checks;if(!e)return S;let t=e.findings.filter(e=>!e.suppressed).sort(vp),n=this.isAll?t:t.slice(0,Lm);return x`<section aria-label="Check">
      <h2>Check <span class="muted">${M(e.processes,`process`,`processes`)}</span>
        ${t.length?x`<mp-save .app=${this.app} view="checks" what=${jo.checks.title} .formats=${[`csv`]}></mp-save>`:S}</h2>
      ${e.events_lost?x`<p class="note">${M(e.events_lost,`event was`,`events were`)} lost: findings that rely on the absence of an event are not certain.</p>`:S}
      ${e.notes.map(e=>x`<p class="note">${e}</p>`)}
      ${t.length?x`<ol>${n.map(e=>this.#e(e))}</ol>`:x`<p class="note">The check found no problems.</p>`}
      ${t.length>n.length?x`<div class="more"><button class="line" @click=${()=>this.isAll=!0}>${t.length-n.length} more</button></div>`:S}
    </section>`}#e(e){let t=e.parties.length+e.more-Rm;return x`<li>
      <h3><b class=${gp(e)&&e.severity===`error`?``:`possible`}>${gp(e)?``:`possible `}${e.severity}</b> ${e.title}</h3>
      <p>${e.text}</p>
      <p class="advice"><span class="hidden-text">What to do: </span>${e.advice} <span class="muted">MPI-5.0 §${e.section}</span></p>
      <ul>${e.parties.slice(0,Rm).map(e=>this.#t(e))}</ul>
      ${t>0?x`<p class="muted">and ${M(t,`more call`)}</p>`:S}
      ${e.count>1?x`<p class="muted">occurs ${j(e.count)} times</p>`:S}
    </li>`}#t(e){let{app:t}=this,n=e.file?`${e.file.split(`/`).pop()}${e.line?`:${e.line}`:``}`:``,r=`rank ${e.rank}: ${e.function??`the process`}${e.role?`, ${e.role}`:``}`;return x`<li>
      ${e.at_ns===null?S:x`<button class="line" ?disabled=${t.run?.state!==`ready`} aria-label="Show in the timeline: ${r}" @click=${()=>void Im(t,e)}>Show</button>`}${r}
      <span class="muted" title=${e.file??``}>${n}</span>
    </li>`}};U([E({attribute:!1})],zm.prototype,`app`,void 0),U([D()],zm.prototype,`isAll`,void 0),zm=U([T(`mp-checks`)],zm),w(),O(),R(),F(),ti(),K(),Mo(),W();var Bm=8,Vm=class extends C{static{this.styles=[L,yr,br,l`
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
    `]}constructor(){super(),this.isAll=!1,new G(this)}render(){let e=this.app.report?.explanation;if(!e)return S;let{roots:t,moving:n}=Tp(e.findings,e.scope.rank_time_ns),r=this.isAll?t:t.slice(0,Bm);return x`<section aria-label="Findings">
      <h2>Findings <span class="muted">${this.app.run?.predicted?`of the predicted run; `:``}savings by replay; costs in rank time, which overlap</span>
        ${e.findings.length?x`<mp-save .app=${this.app} view="findings" what=${jo.findings.title} .formats=${[`csv`]}></mp-save>`:S}</h2>
      ${t.length?x`<ol>${r.map(e=>this.#e(e))}</ol>`:x`<p class="note">${n.length?`No single change saves 1 % of the rank time or more.`:`Nothing costs more than 1 % of the rank time.`}</p>`}
      ${t.length>r.length?x`<div class="more"><button class="line" @click=${()=>this.isAll=!0}>${t.length-r.length} more</button></div>`:S}
      ${this.#t(n,`moving`,`Changing only one of these saves almost nothing (the time moves to the next call): `)}
    </section>`}#e({finding:e,index:t,symptoms:n}){let{app:r}=this,i=r.run?.state===`ready`,a=r.report.explanation.scope.rank_time_ns,{label:o,share:s,also:c}=Ep(e,a),l=e.cause_ranks.length?`caused by ${Yt(e.cause_ranks)}`:``;return x`<li data-index=${t}>
      <div class="cost number"><span class="muted">${o}</span><b>${s}</b>${c.map(e=>x`<span class="muted">${e}</span>`)}</div>
      <div>
        <h3>${e.title}</h3>
        <p>${e.text}</p>
        ${e.advice?x`<p class="advice"><span class="hidden-text">What to try: </span>${e.advice}</p>`:S}
        ${e.alternatives.map(e=>x`<p class="advice">Or: ${e.advice} Saves ${N(e.savable_ns/Math.max(1,a))}.</p>`)}
        <div class="buttons">
          <button class="line" ?disabled=${!i} @click=${()=>Fu(r,t,e)}>Show in the timeline</button>
          <button class="line" ?disabled=${!i} @click=${()=>Lu(r,t,e)}>Show its calls</button>
          <span class="muted">${[l,e.confidence===`high`?``:`${e.confidence} confidence`].filter(Boolean).join(`; `)}</span>
        </div>
        ${this.#t(n.map(e=>({...e,symptoms:[]})),`symptoms`,`Causes: `)}
      </div>
    </li>`}#t(e,t,n){return e.length?x`<details class=${t}>
      <summary>${n}<span class="muted">${e.map(({finding:e})=>`${e.id} ${N(e.share)}`).join(`, `)}</span></summary>
      <ol>${e.map(e=>this.#e(e))}</ol>
    </details>`:S}};U([E({attribute:!1})],Vm.prototype,`app`,void 0),U([D()],Vm.prototype,`isAll`,void 0),Vm=U([T(`mp-findings`)],Vm),w(),O(),R(),K(),W();var Hm=4,Um=class extends C{static{this.styles=[L,yr,l`
      section {
        border-left: 5px solid var(--line-strong);
        padding: 9px 12px;
        display: grid;
        gap: 5px;
      }
      section.bad {
        border-left-color: var(--bad);
      }
      section.warn {
        border-left-color: var(--warn);
      }
      section.good {
        border-left-color: var(--good);
      }
      p {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .sentence {
        font-size: 16px;
        font-weight: 600;
        line-height: 1.35;
      }
      .mishap {
        display: flex;
        gap: 8px;
        align-items: baseline;
      }
      .mishap b {
        font-weight: 600;
      }
      .mishap.bad b {
        color: var(--bad);
      }
      .mishap.warn b {
        color: var(--warn);
      }
      .mishap button {
        min-height: 24px;
        flex: none;
      }
    `]}constructor(){super(),new G(this)}render(){let{app:e}=this,{run:t,report:n}=e;if(!t)return S;let r=Pp(n),i=Np(t,n,t=>e.rankOfWorld(t)),a=i.slice(0,Hm);return!r&&!a.length?S:x`<section class=${r?.weight??`warn`} aria-label="Summary">
      ${r?x`<p class="sentence" role=${r.weight===`bad`?`alert`:S}>${r.text}</p>`:S}
      ${a.map(n=>x`<p class="mishap ${n.weight}">
          ${n.at?x`<button class="line" ?disabled=${t.state!==`ready`} aria-label="Show in the timeline: ${n.text}" @click=${()=>Iu(e,n.at)}>Show</button>`:S}
          <span>${n.text===r?.text?x`<span class="muted">Its last recorded moment is marked ✕ in the timeline.</span>`:x`<b>${n.text}</b>`}</span>
        </p>`)}
      ${i.length>a.length?x`<p class="muted">and ${i.length-a.length} more; see the card “How ranks ended”</p>`:S}
    </section>`}};U([E({attribute:!1})],Um.prototype,`app`,void 0),Um=U([T(`mp-first`)],Um),w(),O(),R(),F(),fr(),K(),W();var Wm=class extends C{static{this.styles=[L,yr,l`
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
    `]}constructor(){super(),new G(this)}render(){let{app:e}=this,t=e.report?.explanation;return t?x`<section aria-label="Verdict">
      <h2>Verdict <span class="muted">shares of ${k(t.scope.rank_time_ns)} of rank time</span></h2>
      <div class="body">${this.#e(t)} ${this.#t(t)} ${this.#n(t)} ${this.#r(t)}</div>
    </section>`:e.reportError||e.run?.is_explained?S:x`<section aria-label="Verdict"><h2>Verdict</h2><div class="body muted" role="status">The run is being analysed …</div></section>`}#e({stuck:e,machine:t}){let n=t?.headline;return x`${e?x`<p class="first bad" role="alert"><b>${e.kind===`deadlock`?`Deadlock`:`Stuck`}:</b> ${e.text} <span class="muted">${e.advice}</span></p>`:S}
    ${n?x`<p class="first"><b>Machine:</b> ${n}</p>`:S}`}#t({time:e}){let{theme:t}=this.app,n=Math.max(1,e.computing_ns+e.waiting_ns+e.communicating_ns),r=[{name:`computing`,ns:e.computing_ns,colour:t===`light`?`#b9c2cf`:I(ar.dark+2105376)},{name:`waiting for other ranks`,ns:e.waiting_ns,colour:I(Zn(`completion`,t)),isHatched:!0},{name:`in MPI otherwise`,ns:e.communicating_ns,colour:I(Zn(`send`,t))}],i=0,a=Me`<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="#000" fill-opacity=".45"></rect></pattern>`,o=r.map(e=>`${e.name} ${N(e.ns/n)}`).join(`, `);return x`<div>
      <svg class="bar" viewBox="0 0 1000 22" preserveAspectRatio="none" role="img" aria-label=${o}>
        <defs>${a}</defs>
        ${r.map(e=>{let t=i,r=e.ns/n*1e3;return i+=r,Me`<rect x=${t} y="0" width=${r} height="22" fill=${e.colour}></rect>${e.isHatched?Me`<rect x=${t} y="0" width=${r} height="22" fill="url(#hatch)"></rect>`:S}`})}
      </svg>
      <div class="key">
        ${r.map(e=>x`<span
            ><svg width="11" height="11" aria-hidden="true"><rect width="11" height="11" rx="2" fill=${e.colour}></rect></svg>${e.name}
            <b class="number">${N(e.ns/n)}</b> <span class="muted number">${k(e.ns)}</span></span
          >`)}
      </div>
    </div>`}#n({efficiency:e}){if(!e)return S;let{theme:t}=this.app,n=(e,n,r,i)=>r===null?S:x`<span class=${e?`in${e}`:``}>${n}</span>
            <svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true">
              <rect width="100" height="9" fill=${I(ar[t])}></rect>
              <rect width=${Math.max(0,Math.min(100,r*100))} height="9" fill=${I(Zn(r<.5?`barrier`:r<.8?`completion`:`receive`,t))}></rect>
            </svg>
            <b class="number">${N(r)}</b><span class="muted">${i}</span>`;return x`<div class="tree">
      ${n(0,`Parallel efficiency`,e.parallel,`load balance × communication`)}
      ${n(1,`Load balance`,e.load_balance,`mean computing time ÷ longest`)}
      ${n(1,`Communication`,e.communication,`serialisation × transfer`)}
      ${n(2,`Serialisation`,e.serialisation,`loss by ranks that wait for each other`)}
      ${n(2,`Transfer`,e.transfer,`loss by time in MPI without waiting`)}
    </div>`}#r(e){let t=[];return e.iterations&&t.push(`${j(e.iterations.count)} iterations of ${k(e.iterations.period_ns)}`),e.phases.length>1&&t.push(`${e.phases.length} phases`),e.grid&&t.push(e.grid.dims.length>1?`${e.grid.dims.join(` × `)} grid`:`${e.grid.dims[0]} ranks in a line`),e.pattern&&t.push(`pattern ${e.pattern.replace(/_/g,` `)}`),e.critical_path&&t.push(`critical path ${k(e.critical_path.length_ns)} with ${j(e.critical_path.jumps)} jumps between ranks`),t.length?x`<div><span class="muted">Structure:</span> ${t.join(`, `)}</div>`:S}};U([E({attribute:!1})],Wm.prototype,`app`,void 0),Wm=U([T(`mp-verdict`)],Wm),w(),O(),Ln(),R(),hr(),So(),F(),ti(),Kr(),K(),Mo(),W();var Gm=class extends C{static{this.styles=[L,_r,l`
      .page {
        grid-template-columns: minmax(0, 1.7fr) minmax(300px, 1fr);
      }
      .buttons {
        display: flex;
        gap: 6px;
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
      table + .note {
        padding: 5px 12px 8px;
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
      /* An empty one takes no room. */
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
    `]}constructor(){super(),new G(this),new Gr(this,...Object.entries(jo).map(([e,{table:t}])=>({view:e,host:this,get app(){return this.host.app},table:()=>t(this.app)})))}render(){let{app:e}=this,t=e.run;if(!t)return x``;let n=e.report,r=t.calls===0&&!t.files,{isWhole:i,from:a}=e.store.state;return x`<div class="page">
      <mp-first class="wide" .app=${e}></mp-first>
      <section class="card wide" aria-label="The run at a glance">
        <h2>
          The run at a glance
          <span class="buttons">
            ${mo(e)?x`<button
                  class="line"
                  aria-pressed=${a===null&&i}
                  title="With MPI_Init and MPI_Finalize"
                  @click=${()=>e.store.set({from:null,until:null,isWhole:!i})}
                >
                  Whole run
                </button>`:S}
            <button class="line" @click=${()=>e.store.set({page:`views`})}>Open the timeline</button>
          </span>
        </h2>
        ${r||e.rows===0&&!t.files?x`<p class="note">No MPI call was recorded in this run. Run <code>mpiscope doctor PROGRAM</code> to see what would be recorded.</p>`:e.rows===0?x`<p class="note" role="status">Reading the rank files …</p>`:x`<div class="strip"><mp-timeline .app=${e} .isStill=${!0}></mp-timeline></div>`}
      </section>
      <div class="stack">
        ${e.reportError?x`<section class="card">${Pn(e.reportError)}</section>`:S}
        <mp-checks .app=${e}></mp-checks>
        <mp-verdict .app=${e}></mp-verdict>
        <mp-findings .app=${e}></mp-findings>
      </div>
      <div class="stack">${this.#e(n)} ${this.#t()} ${this.#n(n)} ${this.#r(n)}</div>
    </div>`}#e(e){let t=this.app.run,n=e?.overview,r=(e,t)=>e?x`${t(e.mean)} <span class="muted">${Vt(e,t)}</span>`:x`–`;return x`<section class="card" aria-label="The program">
      <h2>The program</h2>
      <dl>
        <dt>command</dt><dd class="mono">${t.command.join(` `)||`unknown`}</dd>
        <dt>MPI</dt><dd>${(t.mpi??`unknown`).split(`, package`)[0]}</dd>
        <dt>ranks</dt><dd class="number">${j(t.ranks.count)} on ${t.hosts.length===1?t.hosts[0]:M(t.hosts.length,`host`)}</dd>
        ${n?.start_unix_ns?x`<dt>started</dt><dd class="number">${new Date(n.start_unix_ns/1e6).toISOString().replace(`T`,` `).slice(0,19)} UTC</dd>`:S}
        ${t.until_ns>t.from_ns?x`<dt>length</dt><dd class="number">${k(xu(this.app))} <span class="muted">(${k(t.until_ns-t.from_ns)} with MPI_Init and MPI_Finalize)</span></dd>`:S}
        ${n?.mpi_share?x`<dt>in MPI</dt><dd class="number">${r(n.mpi_share,N)}</dd>`:S}
        ${n?.max_rss_bytes?x`<dt>memory</dt><dd class="number">${r(n.max_rss_bytes,A)}</dd>`:S}
        <dt>calls</dt><dd class="number">${j(t.calls)}${n?.calls_failed?x`, <span class="bad">${j(n.calls_failed)} failed</span>`:S}</dd>
      </dl>
    </section>`}#t(){let{app:e}=this,t=e.run,n=t.functions.filter(e=>!wo(e)),r=n.reduce((e,t)=>e+t.time_ns,0),i=e.report?.overview.rank_time_ns??0,a=e=>[...e].sort((e,t)=>t.time_ns-e.time_ns),o=[...a(n).slice(0,10),...a(t.functions.filter(wo))],s=e=>wo(e)?x`<span class="muted">outside</span>`:i>0?N(e.time_ns/i):``;return o.length?x`<section class="card" aria-label="Where the time in MPI goes">
      <h2>Where the time in MPI goes <span class="muted">${k(r)}${i>0?x` of ${k(i)} of rank time`:` in all ranks`}</span>
        <mp-save .app=${e} view="functions" what=${jo.functions.title} .formats=${[`csv`]}></mp-save></h2>
      <table>
        <thead>
          <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
        </thead>
        <tbody>
          ${o.map(t=>x`<tr>
              <td>${pr(e,t.id)} ${t.name}</td>
              <td class="number">${j(t.calls)}</td>
              <td class="number">${k(t.time_ns)}</td>
              <td class="number">${s(t)}</td>
            </tr>`)}
        </tbody>
      </table>
      ${t.functions.length>o.length?x`<p class="note">and ${M(t.functions.length-o.length,`more function`)}</p>`:S}
    </section>`:x``}#n(e){let t=To(e).slice(0,32);return t.length?x`<section class="card" aria-label="How ranks ended">
      <h2>How ranks ended <mp-save .app=${this.app} view="ends" what=${jo.ends.title} .formats=${[`csv`]}></mp-save></h2>
      <table>
        <thead><tr><th scope="col">Rank</th><th scope="col">End</th><th scope="col">Last call</th></tr></thead>
        <tbody>
          ${t.map(e=>x`<tr>
              <td class="number">${e.rank}</td>
              <td>${Eo(e)}</td>
              <td>${e.in_flight.map(e=>x`<div>${e.call} <span class="muted">${e.site}</span></div>`)}</td>
            </tr>`)}
        </tbody>
      </table>
    </section>`:S}#r(e){let t=this.app.run,n=[...new Set([...e?.diagnostics.map(e=>e.file?`${e.file}: ${e.text}`:e.text)??[],...e?.explanation?.caveats??[],...t.caveats])];return t.is_writing&&n.unshift(`The program was still running when this run was opened.`),n.length?x`<section class="card" aria-label="Notes on this run">
      <h2>Notes on this run</h2>
      <ul>${n.map(e=>x`<li>${e}</li>`)}</ul>
    </section>`:S}};U([E({attribute:!1})],Gm.prototype,`app`,void 0),Gm=U([T(`mp-overview`)],Gm),fr();function Km(e){let t=[...e].sort((e,t)=>t.time_ns-e.time_ns||e.id-t.id).slice(0,ur.length),n=[...ur],r=new Map,i=(e,t)=>{t>=0&&r.set(e.id,n.splice(t,1)[0])};for(let e of t)i(e,n.indexOf(e.class));for(let e of t)r.has(e.id)||i(e,n.length-1);return r}function qm(e){let t=new Map;for(let{functions:n}of e)for(let e of n)t.set(e.id,{id:e.id,class:e.class,time_ns:e.time_ns+(t.get(e.id)?.time_ns??0)});return[...t.values()]}var Jm=class{#e;#t;#n;constructor(e,t,n){this.theme=n,this.#e=new Map(e.map(e=>[e.id,e])),this.#t=Km(e),this.#n=t,this.key=JSON.stringify([n,t.colouring,t.paint,[...this.#t],e.length])}class(e){return this.#r(e)??Zn(e,this.theme)}function(e){let t=this.#e.get(e)?.class??`local`;if(this.#n.colouring===`class`)return this.class(t);let n=this.#t.get(e);return this.#r(String(e))??(n===void 0?Qn(e,t,this.theme):Zn(n,this.theme))}#r(e){let t=this.#n.paint[e];return t===void 0?null:Number.parseInt(t,16)}};ys();var Ym=`mpiscope.theme`,Xm=`mpiscope.single-keys`,Zm=class extends EventTarget{constructor(){super(),this.theme=Qm(),this.hasSingleKeys=_s(Xm)!==`off`,this.dialog=null,this.opened=0,this.message=``,document.documentElement.dataset.theme=this.theme}set(e){Object.assign(this,e),e.dialog&&this.opened++,e.theme&&(document.documentElement.dataset.theme=e.theme,vs(Ym,e.theme)),e.hasSingleKeys!==void 0&&vs(Xm,e.hasSingleKeys?`on`:`off`),this.dispatchEvent(new Event(`change`))}};function Qm(){let e=_s(Ym);return e===`light`||e===`dark`?e:matchMedia(`(prefers-color-scheme: dark)`).matches?`dark`:`light`}Mi();var $m=268435454,eh=[`start`,`end`];function th(e,t){return t>1?e.about:0}function nh(e,t){let n={},r=e=>e===null?null:e+t;if(e.from!==void 0&&(n.from=r(e.from)),e.until!==void 0&&(n.until=r(e.until)),e.moment!==void 0&&(n.moment=r(e.moment)),e.area&&(n.area={...e.area,from:e.area.from+t,until:e.area.until+t}),e.scatter){let{x:t,y:i,x_min:a,x_max:o,y_min:s,y_max:c}=e.scatter;n.scatter={...e.scatter},eh.includes(t)&&Object.assign(n.scatter,{x_min:r(a),x_max:r(o)}),eh.includes(i)&&Object.assign(n.scatter,{y_min:r(s),y_max:r(c)})}return n}function rh(e,t){let n=(e,t)=>e===null?null:t(e);return{filter:{...e.filter,comm:n(e.filter.comm,t.comm),site:n(e.filter.site,t.site),region:n(e.filter.region,t.region),host:n(e.filter.host,t.host)},order:ih(e.order,t),matrix:{...e.matrix,comm:n(e.matrix.comm,t.comm)}}}function ih(e,t){let n=/^(comm|grid):(\d+)$/.exec(J(e,`group`)??``);if(!n)return e;let[,r,i]=n,a=r===`comm`?t.comm(Number(i)):t.axis(Number(i)),o=Y(e,`group`,a===268435454?null:`${r}:${a}`);return a===268435454?o:Y(o,`fold`,J(e,`fold`))}function ah(e,t){let{row_from:n,row_until:r}=e;return n===null||r===null||r<=t?{}:{row_from:t-Math.min(r-n,t),row_until:t}}var oh=class{#e;#t;#n;#r=new Set;#i=null;#a;constructor(e,t,n){this.#e=e,this.#t=t,this.#n=n,this.#a=this.state,e.listen(()=>this.refresh())}get state(){let e=this.#e.state,{version:t}=this.#t;return(this.#i?.base!==e||this.#i.version!==t)&&(this.#i={base:e,version:t,state:this.#o(e)}),this.#i.state}refresh(){let e=this.#a;this.#a=this.state;for(let t of[...this.#r])t(this.#a,e)}listen(e){return this.#r.add(e),()=>this.#r.delete(e)}set(e){this.#e.set(this.#s(e))}move(e){this.#e.move(this.#s(e))}correct(e){this.#e.correct(this.#s(e))}hold(){this.#e.hold()}flush(){this.#e.flush()}undo(e){return this.#e.undo(e)}#o(e){let t=this.#t;if(t.count<2)return e;let n=this.#n,r=th(e,t.count),i={...e,...nh(e,t.shift(n))};n===1&&(i={...i,selection:e.other,other:e.selection}),r!==n&&(i={...i,...rh(e,t.ids(r,n)),finding:null});let a=t.rows(n);return a===null?i:{...i,...ah(i,a)}}#s(e){let t=this.#t;if(t.count<2)return e;let n=this.#n,r={...e,...nh(e,-t.shift(n))};n===1&&(delete r.selection,delete r.other,`selection`in e&&(r.other=e.selection??null),`other`in e&&(r.selection=e.other??null));let i=th(this.#e.state,t.count);return!(e.selection||e.filter!==void 0||e.order!==void 0||e.matrix!==void 0||(e.finding??null)!==null)||i===n||`about`in e?r:{...sh(this.#e.state,t,n),...r,about:n}}};function sh(e,t,n){let r=th(e,t.count);if(r===n)return{about:n};let{filter:i,order:a,matrix:o}=rh(e,t.ids(r,n));for(let e of[`comm`,`site`,`region`,`host`])i[e]===268435454&&(i[e]=null);return{about:n,filter:i,order:a,matrix:o.comm===268435454?{...o,comm:null}:o,finding:null}}Et(),uo(),Zi();var ch=class extends EventTarget{#e;#t;#n;#r;#i;#a;constructor(e,t){super(),this.desk=new Zm,this.apps=[],this.error=null,this.version=0,this.#e=null,this.#t=[],this.#r=[],this.#i=0,this.isAligned=!0,this.#a=``,this.#n=e,this.store=t,this.#o(0),this.desk.addEventListener(`change`,()=>this.#s()),t.listen((e,t)=>{e.align!==t.align&&this.#c()})}get count(){return this.apps.length}get isTwo(){return this.apps.length>1}get about(){return th(this.store.state,this.count)}get app(){return this.apps[this.about]}async start(){let e=this.apps[0].start();try{let{runs:e}=await this.apps[0].client.runs();if(e.length>1){let e=this.#o(1);this.store.isNew&&this.store.correct({page:`compare`}),this.#c(),e.start()}}catch(e){this.error=wt(e)}await e}#o(e){let t=new oh(this.store,this,e),n=new Cu(new Nl(this.#n,e===0?``:`${e}/`),t,this.desk,this,e);return this.#r.push(t),this.apps.push(n),n.addEventListener(`change`,()=>{this.#c(),this.dispatchEvent(new Event(`change`))}),n}#s(){for(let e of this.apps)e.changed()}shift(e){return e===1?this.#i:0}rows(e){let t=this.apps[e];return t?.run&&this.isTwo?t.rows:null}#c(){if(!this.isTwo)return;let[e,t]=this.apps.map(e=>e.run),{align:n}=this.store.state;if(n.by===`region`)for(let e of this.apps)e.needBegin(n.name);let[r,i]=this.apps.map(e=>e.run&&{run:e.run,begins:e.begins}),a=r&&i?Yi(n,r,i):0;this.isAligned=a!==null;let o=a??(r&&i?Yi({by:`init`},r,i)??0:0),s=e=>e&&[e.id,e.state,e.until_ns,e.sites.length,e.regions.length,e.communicators.length,e.grid?.dims.length],c=JSON.stringify([o,a===null,this.apps.map(e=>e.rows),s(e),s(t)]);if(c!==this.#a){this.#a=c,this.#i=o,this.version++;for(let e of this.#r)e.refresh();e&&t&&(document.title=`${e.name} and ${t.name} – mpiscope`),this.#s()}}ids(e,t){let[n,r]=[this.apps[e]?.run,this.apps[t]?.run],i=(e,t,i)=>a=>{if(!n||!r)return $m;let o=e(n).find((e,t)=>i(e,t)===a);if(o===void 0)return $m;let s=e(r).findIndex(e=>t(e)===t(o));return s<0?$m:i(e(r)[s],s)};return{comm:i(e=>e.communicators,e=>e.name,e=>e.id),site:i(e=>e.sites,e=>e.text,e=>e.id),region:i(e=>e.regions,e=>e.name,e=>e.id),host:i(e=>e.hosts,e=>e,(e,t)=>t),axis:e=>r?.grid&&e<r.grid.dims.length?e:$m}}wholeOf(e,t){let[n,r]=this.apps.map(e=>e.run);if(!n||!r)return t;let i=this.#i,a=Math.min(n.from_ns,r.from_ns-i)+this.shift(e),o=Math.max(n.until_ns,r.until_ns-i)+this.shift(e);return{...t,from:a,until:Math.max(o,t.until)}}mainOf(e,t){let[n,r]=this.apps.map(e=>e.run);if(!n||!r)return t;let i=[n,r].map((t,n)=>{let{from:r,until:i}=$a(t,Qa(t,1)),a=this.shift(e)-this.shift(n);return{from:r+a,until:i+a}});return{...t,from:Math.min(...i.map(e=>e.from)),until:Math.max(...i.map(e=>e.until))}}get colours(){let{theme:e}=this.desk,{colouring:t,paint:n}=this.store.state,r=[e,t,n,...this.apps.map(e=>e.run?.functions)];if(!this.#e||r.some((e,t)=>e!==this.#t[t])||r.length!==this.#t.length){this.#t=r;let i=this.apps.flatMap(e=>e.run??[]);this.#e=new Jm(qm(i),{colouring:t,paint:n},e)}return this.#e}show(e){this.store.set(sh(this.store.state,this,e))}get groupWidth(){return Math.max(0,...this.apps.map(e=>e.groupWidth))}};en();var lh=e=>e<0||e===4294967295,uh=e=>e===-2147483648?null:e;function dh(e){let t=Dl(e),n=Object.fromEntries(t.columns);return{head:t.head,table:n,length:Object.values(n)[0]?.length??0}}function fh(e,t){return Object.fromEntries(Object.entries(e).map(([e,n])=>{let r=new n.constructor(t.length);return t.forEach((e,t)=>r[t]=n[e]),[e,r]}))}function ph(e){if(!e)return null;let t=e.split(`,`).map(e=>e.split(`-`).map(Number));return e=>t.some(([t,n])=>e>=t&&e<=(n??t))}var mh=class{#e;#t=new Map;#n;constructor(e){this.#e=e,this.run=e.run;let{table:t,length:n}=dh(e.buffer(`calls`)),r=e.buffer(`details`);this.#n=r&&dh(r),this.calls=t,this.length=n;for(let e=0;e<n;e++){let n=t.rank[e],r=this.#t.get(n);r?r.push(e):this.#t.set(n,[e])}for(let e of this.#t.values())e.sort((e,n)=>t.row[e]-t.row[n])}end(e){return this.calls.start_ns[e]+this.calls.duration_ns[e]}bytes(e){return this.calls.bytes_sent[e]+this.calls.bytes_received[e]}iteration(e){let{iterations:t}=this.run;if(!t)return null;let n=0,r=t.from_ns.length;for(;n<r;){let i=n+r>>1;t.from_ns[i]<=e?n=i+1:r=i}return n>0&&e<t.until_ns[n-1]?n-1:null}wanted(e){let t=this.calls,n=ph(e.ranks),r=e.functions?.length?new Set(e.functions):null,{ranks:i}=this.run,a=e.iteration??null,[o,s]=a===null?[e.from??-1/0,e.until??1/0]:[Math.max(e.from??-1/0,this.run.iterations?.from_ns[a]??1/0),Math.min(e.until??1/0,this.run.iterations?.until_ns[a]??-1/0)],c=(e,t)=>e==null||e===t,l=[];for(let a=0;a<this.length;a++){let u=t.rank[a];if(t.start_ns[a]>=s||this.end(a)<o||e.row_from!==void 0&&u<Math.floor(e.row_from)||e.row_until!==void 0&&u>=Math.ceil(e.row_until)||n&&!n(u)||r&&!r.has(t.function[a])||!c(e.comm,t.comm[a])||!c(e.site,t.site[a])||!c(e.region,t.region[a])||!c(e.thread,t.thread[a])||!c(e.peer,t.peer[a])||!c(e.tag,t.tag[a])||!c(e.host,i.host[u])||this.bytes(a)<(e.bytes_min??0)||this.bytes(a)>(e.bytes_max??1/0))continue;let d=t.duration_ns[a];d<(e.duration_min??0)||d>(e.duration_max??1/0)||l.push(a)}return l}at(e,t){return this.#t.get(e)?.find(e=>this.calls.row[e]===t)??null}span(e){return{rank:this.calls.rank[e],row:this.calls.row[e],start_ns:this.calls.start_ns[e],end_ns:this.end(e)}}#r(e,t){let n=this.#t.get(this.calls.rank[e]),r=n[n.indexOf(e)+t];return r===void 0?null:this.span(r)}#i(){let e=this.#e.buffer(`messages`);return e&&dh(e)}#a(){let e=this.#e.buffer(`collectives`);return e&&dh(e)}#o(e,t){let n=this.#a();if(!n)return null;let{table:r}=n,i=r.member_offset;for(let n=0;n+1<i.length;n++)for(let a=i[n];a<i[n+1];a++)if(r.rank[a]===e&&r.row[a]===t)return{operation:n,from:i[n],until:i[n+1],table:r};return null}detail(e){let{run:t,calls:n}=this,r=this.span(e),{rank:i,row:a}=r,o=(e,t)=>lh(e)?void 0:t.find(t=>t.id===e),s=t.functions.find(t=>t.id===n.function[e]),c=o(n.comm[e],t.communicators),l=o(n.region[e],t.regions),u=o(n.site[e],t.sites)?.text??``,d=[],f=this.#i();for(let e=0;f&&e<f.length;e++){let t=f.table,n={bytes:t.bytes[e],tag:t.tag[e],sent_ns:t.sent_ns[e],received_ns:t.received_ns[e]};t.sender[e]===i&&t.send_row[e]===a&&d.push({direction:`sent`,rank:t.receiver[e],row:t.receive_row[e],...n}),t.receiver[e]===i&&t.receive_row[e]===a&&d.push({direction:`received`,rank:t.sender[e],row:t.send_row[e],...n})}let p=this.#o(i,a),m=null;if(p){let e=Array.from(p.table.start_ns.subarray(p.from,p.until)),n=e.indexOf(Math.max(...e)),r=t.communicators.find(e=>e.id===p.table.comm[p.operation]),i=p.until-p.from;m={operation:p.table.operation[p.operation],number:p.table.operation[p.operation],comm:r?.name??``,members:i,missing:Math.max(0,(r?.size??i)-i),first_start_ns:Math.min(...e),last_start_ns:Math.max(...e),last_rank:p.table.rank[p.from+n]}}let h=[],g=this.#e.buffer(`waits`);if(g){let{head:e,table:t,length:n}=dh(g),r=e.kinds;for(let e=0;e<n;e++)t.rank[e]===i&&t.row[e]===a&&h.push({kind:r[t.kind[e]]??``,start_ns:t.start_ns[e],end_ns:t.end_ns[e],cause:t.cause_rank[e]<0||t.cause_row[e]<0?null:{rank:t.cause_rank[e],row:t.cause_row[e]}})}let _=n.flags[e];return{...r,world_rank:t.ranks.world_rank[i]??i,host:t.hosts[t.ranks.host[i]??-1]??``,thread:n.thread[e],function:s?.name??``,function_id:n.function[e],class:s?.class??`local`,duration_ns:n.duration_ns[e],count:n.count[e],comm:c?.name??null,peer:lh(n.peer[e])?null:n.peer[e],tag:uh(n.tag[e]),root:lh(this.#n?.table.root[e]??-1)?null:this.#n.table.root[e],bytes_sent:n.bytes_sent[e],bytes_received:n.bytes_received[e],elements:this.#n?.table.elements[e]??0,datatype:this.#n?.head.datatypes?.[this.#n.table.datatype[e]]||null,site:{text:u,frames:this.#n?.head.sites?.[String(n.site[e])]??(u?[u]:[])},region:l?.name??null,iteration:this.iteration(r.start_ns),is_poll:!!(_&1),is_failed:!!(_&2),is_nested:!!(_&4),messages:d,collective:m,waits:h,near:{previous:this.#r(e,-1),next:this.#r(e,1)}}}step(e,t,n,r){let{calls:i}=this,a=n===`next`?1:-1,{rank:o,row:s}=this.span(e);if(t===`rank`)return this.#r(e,a);if(t===`message`){let t=this.detail(e).messages[0],n=t&&this.at(t.rank,t.row);return n==null?null:this.span(n)}if(t===`collective`){let e=this.#o(o,s);if(!e)return null;let t=Array.from({length:e.until-e.from},(t,n)=>e.from+n).sort((t,n)=>e.table.rank[t]-e.table.rank[n]),n=t[(t.findIndex(t=>e.table.rank[t]===o&&e.table.row[t]===s)+a+t.length)%t.length];return{rank:e.table.rank[n],row:e.table.row[n],start_ns:e.table.start_ns[n],end_ns:e.table.end_ns[n]}}let c=new Set(r.functions??[]),l={function:t=>i.function[t]===i.function[e],functions:e=>c.has(i.function[e]),comm:t=>i.comm[t]===i.comm[e],site:t=>i.site[t]===i.site[e],longer:e=>i.duration_ns[e]>(r.than_ns??0)},u=this.#t.get(o);for(let n=u.indexOf(e)+a;n>=0&&n<u.length;n+=a)if(l[t]?.(u[n]))return this.span(u[n]);return null}};function hh(e,t,n,r){let i=null;for(let a of[`run`,`window`]){let o=e.buffer(`curves/${a}/${+!!t}`)??e.buffer(`curves/${a}/0`);if(!o)continue;let s=Dl(o),{from_ns:c,bin_ns:l,columns_count:u}=s.head;(a===`run`||c<=n&&c+u*l>=r)&&(!i||l<i.head.bin_ns)&&(i=s)}if(!i)return null;let{bin_ns:a,from_ns:o,columns_count:s,hosts:c}=i.head,l=Math.max(0,Math.min(s-1,Math.floor((n-o)/a))),u=Math.max(l+1,Math.min(s,Math.ceil((r-o)/a))),d={};for(let[e,t]of i.columns){let n=new Float64Array(c.length*(u-l));c.forEach((e,r)=>n.set(t.subarray(r*s+l,r*s+u),r*(u-l))),d[e]=n}let{columns:f,...p}=i.head;return kl({...p,kind:`curves`,from_ns:o+l*a,columns_count:u-l,has_finer:!1},d)}en();function gh(e){let t=Dl(e),n=X(t,`entries`),r=new Uint32Array(n.length+1);for(let e=0;e<n.length;e++)r[e+1]=r[e]+n[e];return{head:t.head,offset:r,function:X(t,`function`),share:X(t,`share`),calls:X(t,`calls`),longest_ns:t.columns.get(`longest_ns`)??null}}function _h(e){let t=new Map;for(let n of e.names){let r=/^cells\/(\w+)\/(\d+)$/.exec(n);if(!r)continue;let i=t.get(r[1])??[];i[Number(r[2])]=gh(e.buffer(n)),t.set(r[1],i)}return[...t.values()].map(e=>{let{bin_ns:t,rows_per_block:n,rows:r}=e[0].head;return{bin_ns:t,rows_per_block:n,rows:r,is_exact:e.every(e=>e.head.is_exact),chunks:e}})}function vh(e,t){let n=Math.max(1,(t.until-t.from)/t.columns*2),r=Math.max(1,(t.row_until-t.row_from)/t.rows),i=(e,t)=>{let n=Math.log2(e/t);return n>0?n:-n/8},a=e=>i(e.bin_ns,n)+i(e.rows_per_block,r);return e.reduce((e,t)=>a(t)<a(e)?t:e)}function yh({bin_ns:e,chunks:t},n){let r=t[0].head.columns_count,i=t.length*r,a=Math.max(0,Math.min(i-1,Math.floor(Math.max(0,n.from)/e)));return{first:a,end:Math.max(a+1,Math.min(i,Math.ceil(n.until/e))),perChunk:r}}function bh(e,t){let n=vh(e,t),{rows_per_block:r}=n,i=Math.max(0,Math.min(n.rows-1,Math.floor(t.row_from/r))),a=Math.max(i+1,Math.min(n.rows,Math.ceil(t.row_until/r))),o=Array.from({length:a-i},(e,t)=>[i+t]);return xh(n,t,{row_from:i*r,rows_per_block:r,stored:o})}function xh(e,t,{row_from:n,rows_per_block:r,stored:i}){let{bin_ns:a}=e,{first:o,end:s,perChunk:c}=yh(e,t),l=t.functions?.length?new Set([...t.functions,Qt]):null,u=i.length*(s-o),d=new Uint32Array(u+1),f=new Uint32Array(u),p=new Float32Array(u),m=[],h=[],g=0,_=0,v=new Map;for(let t of i)for(let n=o;n<s;n++){let r=e.chunks[Math.floor(n/c)];v.clear();for(let e of t){let t=e*c+n%c;for(let e=r.offset[t];e<r.offset[t+1];e++){let t=r.function[e];(!l||l.has(t))&&v.set(t,(v.get(t)??0)+r.share[e]*257)}f[g]+=r.calls[t],r.longest_ns&&!l&&(p[g]=Math.max(p[g],r.longest_ns[t]))}for(let[e,n]of v)m.push(e),h.push(Math.max(Math.min(1,n),Math.floor(n/t.length)));_+=f[g],d[++g]=m.length}return kl({kind:`cells`,bin_ns:a,from_ns:o*a,columns_count:s-o,row_from:n,rows_per_block:r,rows:i.length,is_exact:e.is_exact&&a<=Math.max(1,(t.until-t.from)/t.columns*2),calls_total:_},{offset:d,function:Uint16Array.from(m),share:Uint16Array.from(h),calls:f,longest_ns:p,longest_rank:new Int32Array(u).fill(-1),longest_row:new Float64Array(u)})}var Sh=(e,t)=>e>=0&&e<=t,Ch=(e,t,n)=>Sh(e,n)&&(t<0||n<t);function wh(e,t,n){let[r,i]=[e.sent_ns[t],e.posted_ns[t]],a=Ch(r,e.send_done_ns[t],n),o=Ch(i,e.receive_done_ns[t],n);return Sh(r,n)&&Sh(i,n)?o?`in_flight`:a?`received`:null:Sh(r,n)?e.is_lost[t]||i>=0?`unexpected`:a?`in_flight`:null:Sh(i,n)&&(r>=0||o)?`posted`:null}function Th(e,t,n,r,i){let a=e.buffer(`lifetimes`),o=e.buffer(`waits`);if(!a||!o)return null;let{head:s,table:c,length:l}=dh(a),u=s.stages,d=ph(r)??(()=>!0),f=t.run.ranks.count,p=()=>new Float64Array(f),m={sends:[p(),p()],receives:[p(),p()],unexpected:[p(),p()]},h=[],g=[];for(let e=0;e<l;e++){let[t,r]=[c.sender[e],c.receiver[e]];if(!(t>=0&&d(t))&&!(r>=0&&d(r)))continue;let i=wh(c,e,n);if(!i)continue;h.push(e),g.push(u.indexOf(i));let a=(t,n)=>{n<0||n>=f||!d(n)||(t[0][n]+=1,t[1][n]+=c.bytes[e])};Ch(c.sent_ns[e],c.send_done_ns[e],n)&&a(m.sends,t),Ch(c.posted_ns[e],c.receive_done_ns[e],n)&&a(m.receives,r),i===`unexpected`&&a(m.unexpected,r)}let _=p().fill(-1),v=p().fill(-1),y=new Int32Array(f).fill(-1),b=t.calls;for(let e of t.wanted({from:n,until:n+1,ranks:r??null})){let r=b.rank[e],i=b.start_ns[e]>v[r]||b.start_ns[e]===v[r]&&b.row[e]>_[r];b.start_ns[e]>n||t.end(e)<=n||!i||([_[r],v[r],y[r]]=[b.row[e],b.start_ns[e],b.function[e]])}let ee=new Uint8Array(f),te=dh(o);for(let e=0;e<te.length;e++){let t=te.table.rank[e];d(t)&&te.table.start_ns[e]<=n&&n<te.table.end_ns[e]&&(ee[t]=1)}let ne=e=>Uint32Array.from(e[0]),{send_done_ns:re,receive_done_ns:ie,is_lost:ae,...oe}=c;return kl({kind:`moment`,at_ns:n,stages:u,total:h.length,is_cut:h.length>i},{call_row:_,call_function:y,call_start_ns:v,waits:ee,sends:ne(m.sends),sends_bytes:m.sends[1],receives:ne(m.receives),receives_bytes:m.receives[1],unexpected:ne(m.unexpected),unexpected_bytes:m.unexpected[1],stage:Uint8Array.from(g.slice(0,i)),...fh(oe,h.slice(0,i))})}var Eh=class{#e=new Map;#t=null;constructor(e){let t=new DataView(e.buffer,e.byteOffset).getUint32(0,!0),n=JSON.parse(new TextDecoder().decode(e.subarray(4,4+t))),r=4+t;for(let[t,i]of n)this.#e.set(t,e.subarray(r,r+i)),r+=i;if(this.about=this.json(`about`),this.about?.schema!==`mpiscope.pack/1`)throw Error(`the page contains data of another version: ${this.about?.schema}`)}get names(){return[...this.#e.keys()]}has(e){return this.#e.has(e)}json(e){let t=this.#e.get(e);return t?JSON.parse(new TextDecoder().decode(t)):null}buffer(e){let t=this.#e.get(e);return t?t.slice().buffer:null}get run(){return this.#t??=Ml(this.json(`run`)),this.#t}get report(){return this.json(`report`)}};async function Dh(e){let t=atob(e.trim()),n=new Uint8Array(t.length);for(let e=0;e<t.length;e++)n[e]=t.charCodeAt(e);let r=new Blob([n]).stream().pipeThrough(new DecompressionStream(`deflate-raw`));return new Eh(new Uint8Array(await new Response(r).arrayBuffer()))}F(),ka(),Mi();var Oh=`order/`,kh=e=>e.rows_per_block===1;function Ah(e,t){return t.some(kh)?[`host`,...e.names.flatMap(e=>e.startsWith(Oh)?[e.slice(6)]:[])]:[]}function jh(e,t){let{run:n}=e;if(t===`host`)return n.hosts.map((e,t)=>({text:e,number:t,ranks:[...n.ranks.host.keys()].filter(e=>n.ranks.host[e]===t)}));let r=e.buffer(Oh+t);if(!r)return null;let i=Dl(r),a=[...X(i,`rank`)];return i.head.groups.map(({text:e,number:t,from:n,until:r})=>({text:e,number:t,ranks:a.slice(n,r)}))}function Mh(e,t){let{count:n}=e.run.ranks,r=J(t,`group`);if((J(t,`sort`)??`rank`)!==`rank`)return null;let i=J(t,`ranks`),a=i===null?null:new Set(Xt(i,n)??[]),o=new Set(Xt(J(t,`pin`)??``,n)??[]),s=r===null?[{text:``,number:0,ranks:Array.from({length:n},(e,t)=>t)}]:jh(e,r);if(!s)return null;let c=s.map(e=>({...e,ranks:e.ranks.filter(e=>a?.has(e)??!0)})),l=c.flatMap(({ranks:e})=>e.filter(e=>o.has(e))).map(e=>[e]),u=[];for(let{text:e,number:n,ranks:i}of c){let a=i.filter(e=>!o.has(e));if(!a.length)continue;let s=r!==null&&wa(t,n),c=l.length;l.push(...s?[a]:a.map(e=>[e])),r!==null&&u.push({text:e,number:n,from:c,until:l.length,ranks:a.length,is_folded:s})}return{rows:l,groups:u}}function Nh({rows:e,groups:t}){let n=new Uint32Array(e.length+1);e.forEach((e,t)=>n[t+1]=n[t]+e.length);let r={rank:Uint32Array.from(e.flat()),...t.some(e=>e.is_folded)?{start:n}:{}};return kl({kind:`order`,rows:e.length,groups:t,sort:null,unit:null},r)}function Ph({rows:e},t,n){return e.slice(Math.max(0,Math.floor(t??0)),Math.ceil(n??e.length)).flat()}function Fh(e,t,n){let r=e.filter(kh);if(!r.length)return null;let i=Math.max(0,Math.min(t.rows.length,Math.ceil(n.row_until))),a=Math.max(0,Math.min(i,Math.floor(n.row_from))),o=1;for(;Math.ceil(i/o)-Math.floor(a/o)>Math.max(1,n.rows);)o*=2;let[s,c]=[Math.floor(a/o),Math.ceil(i/o)],l=Array.from({length:c-s},(e,n)=>Ph(t,(s+n)*o,(s+n+1)*o));return xh(vh(r,n),n,{row_from:s*o,rows_per_block:o,stored:l})}var Ih=(e,t)=>e.start_ns-t.start_ns||e.rank-t.rank||e.row-t.row;function Lh(e,t,n){let{run:r,calls:i}=e,a=t.toLowerCase(),o=(e,t)=>new Set(e.filter(e=>t(e).toLowerCase().includes(a)).map(e=>e.id)),s=o(r.functions,e=>e.name),c=o(r.sites,e=>e.text),l=o(r.regions,e=>e.name),u=o(r.communicators,e=>e.name);return e.wanted(n).filter(e=>(s.has(i.function[e])||c.has(i.site[e])||l.has(i.region[e])||u.has(i.comm[e]))&&i.start_ns[e]>=(n.from??0)&&i.start_ns[e]<(n.until??1/0)).map(t=>({at:t,span:e.span(t)})).sort((e,t)=>Ih(e.span,t.span))}function Rh(e,t,n,r,i){let a=n===`next`?1:-1;return Lh(e,t,r).filter(({span:e})=>!i||a*Ih(e,i)>0).at(n===`next`?0:-1)?.span??null}function zh(e,t,n,r,i){let a=Lh(e,t,n),o=a.filter(({span:e})=>e.start_ns<r).length,{function:s,site:c}=e.calls,l=a.slice(o,o+i).map(e=>({...e.span,function:s[e.at],site:c[e.at]}));return{total:a.length,before:o,rows:l}}var Bh=class{#e;#t;#n;#r;#i;constructor({unit:e,is_id:t},n){let r=e===`bytes/ns`;this.#e=n,this.#t=r||e===`bytes`,this.#n=r?1e9:1,this.#r=t&&!n?.5:0,this.#i=n||r?0:1}toGrid(e){let t=e*this.#n;return this.#e?this.#t?Math.log2(t):Math.log10(t):t+this.#r}toValue(e){return(this.#e?(this.#t?2:10)**e:e-this.#r)/this.#n}step(e){let t=Math.max(e,this.#i);if(this.#t)return 2**Math.ceil(Math.log2(t)-1e-9);let n=10**Math.floor(Math.log10(t)+1e-9);return([1,2,5].find(e=>e*n>=t*(1-1e-9))??10)*n}bins(e,t,n){let[r,i]=[this.toGrid(e),this.toGrid(t)],a=i>r?i-r:this.#e?.1:Math.max(1,Math.abs(r)*.1);for(let o=this.step(a/n);;o=this.step(o*1.5)){let s=Math.floor(r/o+1e-9),c=Math.floor(i/o+1e-9)+1;if(c-s<=n)return{min:Math.min(e,this.toValue(s*o)),max:Math.max(t,this.toValue(c*o)),bins:c-s};if(o>4*a&&n===1)return{min:this.toValue(r),max:this.toValue(r+o),bins:1}}}};function Vh(e,t,n,r){let i=n?e.filter(([e])=>e>0):e,[a,o,s]=[1/0,-1/0,0],c=new Set;for(let[e,t]of i)a=Math.min(a,e),o=Math.max(o,e),s+=t,c.size<r&&c.add(e);let l=Math.max(1,Math.min(r,c.size,Math.ceil(2*Math.cbrt(s)))),u=+!!n;return c.size?new Bh(t,n).bins(a,o,l):new Bh(t,n).bins(u,u,1)}function Hh(e,t,n){let{calls:r,run:i}=e,a=e=>e<0||e===4294967295?null:e,o=n=>t.has(r.function[n])||e.bytes(n)>0?e.bytes(n):null,s=new Map(i.functions.map(e=>[e.id,i.classes.findIndex(t=>t.id===e.class)]));return{start:e=>r.start_ns[e],end:t=>e.end(t),duration:e=>r.duration_ns[e],bytes:o,bandwidth:t=>e.bytes(t)>0&&r.duration_ns[t]>0?e.bytes(t)/r.duration_ns[t]:null,peer:e=>a(r.peer[e]),rank:e=>r.rank[e],host:e=>i.ranks.host[r.rank[e]]??null,thread:e=>r.thread[e],tag:e=>uh(r.tag[e]),comm:e=>a(r.comm[e]),function:e=>r.function[e],class:e=>s.get(r.function[e])??null,site:e=>a(r.site[e]),region:e=>a(r.region[e]),iteration:t=>e.iteration(r.start_ns[t]),size_bin:e=>{let t=o(e);return t===null?null:t<1?0:Math.min(31,Math.floor(Math.log2(t))+1)},row:e=>r.row[e]}[n]??(()=>null)}function Uh(e,t,n){let{run:r}=e,i=(e,t)=>{let r=e.find(e=>e.id===n);return r?t(r):``};switch(t){case`function`:return i(r.functions,e=>e.name);case`class`:return r.classes[n]?.name??``;case`comm`:return i(r.communicators,e=>e.name);case`site`:return i(r.sites,e=>e.text)||`unknown`;case`region`:return i(r.regions,e=>e.name);case`host`:return r.hosts[n]??``;case`size_bin`:return n===0?`0 B`:n===1?`1 B`:`${2**(n-1)}–${2**n-1} B`;default:return String(n)}}var Wh={count:e=>e.count,total_ns:e=>e.total_ns,mean_ns:e=>e.mean_ns,max_ns:e=>e.max_ns,bytes:e=>e.bytes};function Gh(e,t,n,r,i,a,o,s){let c=r.map(n=>Hh(e,t,n)),l=new Map;for(let e of n){let t=c.map(t=>t(e)),n=t.join(),r=l.get(n);r?r.places.push(e):l.set(n,{ids:t,places:[e]})}let{calls:u}=e,d=[...l.values()].map(({ids:t,places:n})=>{let[i,a,c,l,d,f]=[0,0,0,0,0,0],p=[];for(let t of n){let n=Math.max(1,u.count[t]),r=u.duration_ns[t];i+=n,a+=r,c+=n*(r/n)**2,l+=e.bytes(t)*n;let s=Math.max(0,Math.min(e.end(t),o.until)-Math.max(u.start_ns[t],o.from));f+=s,u.flags[t]&4||(d+=s),p.push([r/n,n])}p.sort((e,t)=>e[0]-t[0]);let m=e=>{let t=0;for(let[n,r]of p)if((t+=r)>=e*i)return n;return p[p.length-1][0]},h=a/i;return{key:t.map((t,n)=>t===null?{id:null,text:`none`}:{id:t,text:Uh(e,r[n],t)}),count:i,total_ns:f,mean_ns:h,median_ns:m(.5),min_ns:p[0][0],max_ns:p[p.length-1][0],p95_ns:m(.95),p99_ns:m(.99),sd_ns:Math.sqrt(Math.max(0,c/i-h**2)),share:d/Math.max(1,s),bytes:l}}),f=Wh[i]??Wh.total_ns;return d.sort((e,t)=>f(t)-f(e)),{basis:{kind:`calls`},by:r,rows:d.slice(0,a),total:d.length,is_cut:d.length>a}}function Kh(e,t,n,r,i){let a=n?e.filter(e=>e>0):e,o=a.reduce((e,t)=>Math.min(e,t),1/0),s=a.reduce((e,t)=>Math.max(e,t),-1/0),c=(e,t)=>Number.isFinite(e)?e:t,l=c(r??o,0);n&&l<=0&&(l=c(o,1));let u=c(i??s,1);return{field:t,min:l,max:u>l?u:l+1,is_log:n}}function qh(e,t,n,r){let i=Hh(e,t,r.field),a=n.map(e=>[i(e),e]).filter(e=>e[0]!==null),o=t=>Math.max(1,e.calls.count[t]),s=(r.min??null)===null&&(r.max??null)===null,c=e.run.fields.find(e=>e.id===r.field)??{unit:``,is_id:!1},{bins:l,...u}=s?{...Vh(a.map(([e,t])=>[e,o(t)]),c,r.is_log,r.bins),is_log:r.is_log}:{...Kh(a.map(([e])=>e),r.field,r.is_log,r.min,r.max),bins:r.bins},d=e=>u.is_log?Math.log(e/u.min)/Math.log(u.max/u.min):(e-u.min)/(u.max-u.min),f=Array.from({length:l+1},(e,t)=>u.is_log?u.min*(u.max/u.min)**(t/l):u.min+t/l*(u.max-u.min)),p=Array(l).fill(0),m=Array(l).fill(0),h=0;for(let[t,n]of a){if(t<u.min||t>u.max)continue;let r=Math.min(l-1,Math.floor(d(t)*l+1e-9)),i=o(n);p[r]+=i,m[r]+=e.calls.duration_ns[n],h+=i}return{basis:{kind:`calls`},field:r.field,min:u.min,max:u.max,is_log:u.is_log,edges:f,counts:p,time_ns:m,total:h}}function Jh(e,t,n,r){let[i,a]=[Hh(e,t,r.x),Hh(e,t,r.y)],o=n.map(e=>[i(e),a(e),e]).filter(e=>e[0]!==null&&e[1]!==null),s=Kh(o.map(e=>e[0]),r.x,r.x_log,r.x_min,r.x_max),c=Kh(o.map(e=>e[1]),r.y,r.y_log,r.y_min,r.y_max),l=(e,t)=>e>=t.min&&e<=t.max,u=o.filter(e=>l(e[0],s)&&l(e[1],c)),{calls:d}=e;return kl({kind:`scatter`,basis:{kind:`calls`},x_axis:s,y_axis:c,total:u.length,form:`points`,fit:null,width:r.width,height:r.height},{x:Float64Array.from(u,e=>e[0]),y:Float64Array.from(u,e=>e[1]),rank:Uint32Array.from(u,e=>d.rank[e[2]]),row:Float64Array.from(u,e=>d.row[e[2]]),function:Uint16Array.from(u,e=>d.function[e[2]])})}F(),Et(),cl();var Yh=e=>({arrayBuffer:()=>Promise.resolve(e),json:()=>Promise.reject(Error(`this is a frame`))}),Xh=e=>({json:()=>Promise.resolve(e),arrayBuffer:()=>Promise.reject(Error(`this is not a frame`))}),Zh=[`ranks`,`functions`,`comm`,`site`,`region`,`peer`,`peers`,`tag`,`bytes_min`,`bytes_max`,`duration_min`,`duration_max`,`host`,`iteration`,`thread`,`row_from`,`row_until`],Qh=`16777215`,$h=4,eg={from_ns:new Float64Array,sender:new Uint32Array,receiver:new Uint32Array,count:new Float64Array,bytes:new Float64Array,latency_ns:new Float64Array},tg=class{#e;constructor(e){this.isExported=!0,this.kept=null,this.#e=e.then(e=>{let{about:t}=e,n=_h(e);return this.kept={from:t.from_ns,until:t.until_ns,bin_ns:t.bin_ns,groupings:Ah(e,n)},{pack:e,levels:n,kept:new mh(e),withData:new Set(t.functions_with_data)}}),this.#e.catch(()=>{})}async view(){return(await this.#e).pack.about.view}async ask(e,t,n){let r=await this.#e.catch(e=>{throw new Tt(0,`this page cannot be read: ${e instanceof Error?e.message:String(e)}`,`The file may be truncated: copy it again, or export it again.`)});return n?.throwIfAborted(),this.#t(r,e,t)}put(e){return Promise.reject(new Tt(403,`an exported page cannot save ${e}`,"Open the run with `mpiscope view`."))}async frame(e,t,n){return(await this.ask(e,t,n)).arrayBuffer()}#t(e,t,n){let{pack:r,levels:i,kept:a}=e,{order:o,...s}=n;if(o)return this.#a(e,t,o,s);switch(t){case`runs`:return Xh({runs:[{name:r.run.name}]});case`run`:return Xh(r.run);case`progress`:{let{state:e,done:t,is_explained:n,failure:i}=r.run;return Xh({state:e,done:t,is_explained:n,failure:i,is_writing:!1})}case`notes`:return Xh(r.json(`notes`)??{revision:``,notes:[]});case`report`:return Xh(r.report);case`cells`:return Yh(bh(i,n));case`path`:{let t=r.buffer(`path`);if(!t)throw this.#m(e,`the critical path is`);return Yh(t)}case`bundles`:return this.#l(e,n);case`messages`:case`waits`:case`regions`:case`collectives`:return this.#d(e,t,n);case`call`:{let{rank:t,row:r}=n;return Xh(a.detail(this.#p(e,t,r)))}case`step`:{let{rank:t,row:r,by:i,direction:o,...s}=n;return Xh(a.step(this.#p(e,t,r),i,o,s))}case`find`:{let{text:e,direction:t,start:r,rank:i,row:o,...s}=n;return Xh(Rh(a,e,t,s,r===void 0?null:{start_ns:r,end_ns:r,rank:i,row:o}))}case`matches`:{let{text:e,at:t,limit:r,...i}=n;return Xh(zh(a,e,i,t,r))}default:return this.#n(e,t,n)}}#n(e,t,n){let r=il(t);if(!r?.exported)throw this.#m(e,`'${t}' is`);let{pack:i}=e,a=r.exported.stored?.(n)??null,o=a!==null&&n.of!==`messages`?this.#o(e,n,a):null,s=o===null?this.#r(e,t,n):r.answer===`json`?Xh(i.json(o)):Yh(i.buffer(o));if(!s)throw this.#m(e,r.exported.missing);return s}#r(e,t,n){let{pack:r,kept:i,withData:a}=e;switch(t){case`calls`:return this.#u(e,n);case`groups`:return this.#f(e,n);case`histogram`:{let t=n;return n.of===`messages`?null:Xh(qh(i,a,this.#c(e,n),t))}case`scatter`:return n.of===`messages`?null:Yh(Jh(i,a,this.#c(e,n),n));case`curves`:{let{from:e,until:t,by_host:i,...a}=n,{run:o}=r,s=this.#i(a)?null:hh(r,i===!0,e??o.from_ns,t??o.until_ns);return s&&Yh(s)}case`moment`:{let{at:t,limit:a,ranks:o,...s}=n;if(this.#i(s))throw this.#m(e,`the state for part of the calls is`);let{from_ns:c,until_ns:l}=r.about,u=t>=c&&t<l?Th(r,i,t,o,a):null;return u&&Yh(u)}case`matrix`:case`tree`:case`path_groups`:return null}}#i(e){return Zh.some(t=>(e[t]??null)!==null)}#a(e,t,n,r){let{pack:i,levels:a}=e,o=Mh(i,n);if(!o)throw this.#m(e,`this order of ranks is`);if(t===`order`)return Yh(Nh(o));if(t===`cells`){let t=r;if(t.layer===`regions`)throw this.#m(e,`the zoomed-out view of regions is`);let n=Fh(a,o,t);if(!n)throw this.#m(e,`the rows of individual ranks are`);return Yh(n)}let{row_from:s,row_until:c,ranks:l,...u}=r,d=ph(l),f=Ph(o,s,c).filter(e=>!d||d(e));return this.#t(e,t,{...u,ranks:f.length?Jt(f):Qh})}#o({pack:e},t,n){return(t.from??null)===null&&(t.until??null)===null&&!this.#i(t)&&e.has(n)?n:null}#s({pack:e},t){let{run:n}=e,r=t.iteration??null;return{from:Math.max(t.from??n.from_ns,r===null?-1/0:n.iterations?.from_ns[r]??-1/0),until:Math.min(t.until??n.until_ns,r===null?1/0:n.iterations?.until_ns[r]??1/0)}}#c(e,t){let{about:n,run:r}=e.pack,{from:i,until:a}=this.#s(e,t);if(Math.max(i,r.from_ns)<n.from_ns||Math.min(a,r.until_ns)>n.until_ns)throw this.#m(e,`individual calls for this whole time range are`);return e.kept.wanted(t)}#l({pack:e},t){let n=e.buffer(`bundles`),r=n&&dh(n),i=Zh.some(e=>e!==`row_from`&&e!==`row_until`&&(t[e]??null)!==null),{bin_ns:a,rows_per_block:o,basis:s}=r?.head??{},[c,l]=[t.from??e.run.from_ns,t.until??e.run.until_ns];if(!r||!s||!a||!o||i||a*$h>l-c)return Yh(kl({kind:`bundles`,total:0,bin_ns:1,rows_per_block:1,basis:null},eg));let{table:u,length:d}=r,f=e=>e+o>(t.row_from??0)&&e<(t.row_until??1/0),p=Array.from({length:d},(e,t)=>t).filter(e=>u.from_ns[e]<l&&u.from_ns[e]+a>c&&(f(u.sender[e])||f(u.receiver[e])));return Yh(kl({kind:`bundles`,total:p.reduce((e,t)=>e+u.count[t],0),bin_ns:a,rows_per_block:o,basis:s},fh(u,p)))}#u(e,t){let n=this.#c(e,t),{kept:r}=e,i=n.length,a=r.calls;return i>t.limit&&(n.sort((e,t)=>a.duration_ns[t]-a.duration_ns[e]).length=t.limit),n.sort((e,t)=>a.rank[e]-a.rank[t]||a.start_ns[e]-a.start_ns[t]),Yh(kl({kind:`calls`,total:i,is_cut:n.length<i},fh(a,n)))}#d(e,t,n){let r=e.pack.buffer(t);if(!r)throw this.#m(e,`${t} are`);let{head:i,table:a,length:o}=dh(r);if(t===`collectives`)return Yh(r);let[s,c]=[n.from??-1/0,n.until??1/0],l=ph(n.ranks),u=e=>e>=Math.floor(n.row_from??0)&&e<Math.ceil(n.row_until??1/0)&&(!l||l(e)),[d,f]=t===`messages`?[a.sent_ns,a.received_ns]:[a.start_ns,a.end_ns],p=[];for(let e=0;e<o;e++)d[e]>=c||f[e]<s||(t===`messages`?u(a.sender[e])||u(a.receiver[e]):u(a.rank[e]))&&p.push(e);let m=p.length,h=m>n.limit?p.slice(0,n.limit):p,{columns:g,..._}=i,v=h.length<m||i.is_cut===!0;return Yh(kl({..._,total:v?Math.max(m,h.length+1):m,is_cut:v},fh(a,h)))}#f(e,t){let n=this.#c(e,t),{run:r}=e.pack,{from:i,until:a}=this.#s(e,t),o=ph(t.ranks),s=Array.from({length:r.ranks.count},(e,t)=>t).filter(e=>(!o||o(e))&&(t.host??r.ranks.host[e])===r.ranks.host[e]).length;return Xh(Gh(e.kept,e.withData,n,t.by.split(`,`),t.sort??`total_ns`,t.limit,{from:i,until:a},(a-i)*s))}#p(e,t,n){let r=e.kept.at(t,n);if(r===null)throw this.#m(e,`this call is`);return r}#m({pack:e},t){return new Tt(404,`${t} not in this exported page`,`Open the run with: mpiscope view ${e.run.name}`)}};function ng(e){let t=e.getElementById(`mpiscope-pack`)?.textContent;return t?new tg(Dh(t)):null}var rg=class{#e=new Worker(new URL(new URL(`carrier.worker.js`,import.meta.url).href,``+import.meta.url),{type:`module`,name:`carrier`});#t=new Map;#n=0;constructor(){this.#e.onmessage=e=>{this.#t.get(e.data.id)?.(e.data),this.#t.delete(e.data.id)}}carry(e,t){let n=this.#n++;return new Promise((r,i)=>{let a=()=>{this.#t.delete(n),this.#e.postMessage({id:n,address:null}),i(new DOMException(`given up`,`AbortError`))};if(t?.aborted)return i(new DOMException(`given up`,`AbortError`));t?.addEventListener(`abort`,a,{once:!0}),this.#t.set(n,e=>{t?.removeEventListener(`abort`,a),r(e)}),this.#e.postMessage({id:n,address:e})})}};function ig(e){let t=[];for(let[n,r]of Object.entries(e).sort(([e],[t])=>e<t?-1:1)){if(r==null||r===``)continue;let e;if(Array.isArray(r)){if(r.length===0)continue;e=r.join(`,`)}else e=typeof r==`boolean`?r?`1`:`0`:String(r);t.push(`${n}=${encodeURIComponent(e)}`)}return t.length?`?${t.join(`&`)}`:``}Et();var ag=class{#e;#t;constructor(e){this.isExported=!1,this.kept=null,this.#t=null,this.#e=e.endsWith(`/`)?e:`${e}/`}ask(e,t,n){return this.#n(`${e}${ig(t)}`,n?{signal:n}:{})}put(e,t){return this.#n(e,{method:`PUT`,headers:{"content-type":`application/json`},body:JSON.stringify(t)})}async#n(e,t){let n;try{n=await fetch(`${this.#e}${e}`,t)}catch(e){throw Ct(e)?e:wt(e)}if(n.ok)return n;throw og(n.status,n.statusText,await n.text().catch(()=>``))}async frame(e,t,n){let r=new URL(`${this.#e}${e}${ig(t)}`,document.baseURI).href;this.#t??=new rg;let{status:i,text:a,body:o}=await this.#t.carry(r,n);if(!o)throw wt(TypeError(`no answer`));if(i>=200&&i<300)return o;throw og(i,a,new TextDecoder().decode(o))}};function og(e,t,n){let r=sg(n);return new Tt(e,r?.error?.what??`mpiscope answered ${e} ${t}`,r?.error?.next??"Start `mpiscope view` again and open the address it prints.")}function sg(e){try{return JSON.parse(e)}catch{return null}}function cg(e){return ng(e)??new ag(new URL(`./api/`,e.baseURI).pathname)}fa();var lg=e=>({mpiscope:e}),ug={hash:()=>window.location.hash,at:()=>window.history.state?.mpiscope??null,push:(e,t)=>window.history.pushState(lg(t),``,`#${e}`),replace:(e,t)=>window.history.replaceState(lg(t),``,`#${e}`),mark:e=>window.history.replaceState(lg(e),``),go:e=>window.history.go(e)},dg=1e3,fg=2e3,pg=class{#e;#t;#n=new Set;#r=null;#i=!1;#a=!1;#o=0;#s=0;#c=null;#l=[];#u;constructor(e){this.#t=e,this.#u=e.hash().replace(/^#/,``)===``,this.#e=this.#d(),this.#o=this.#s=e.at()??0,e.mark(this.#o)}get unread(){return this.#l}get state(){return this.#e}get isNew(){return this.#u}listen(e){return this.#n.add(e),()=>this.#n.delete(e)}set(e){this.flush(),this.#p({...this.#e,...e}),this.#f()}move(e){this.#r!==null&&clearTimeout(this.#r),this.#i=!0,this.#p({...this.#e,...e}),this.#r=setTimeout(()=>this.flush(),this.#a?dg:350)}correct(e){this.#l=[],this.#p({...this.#e,...e}),this.#t.replace(ra(this.#e),this.#o)}hold(){this.flush(),this.#a=!0}flush(){this.#a=!1,this.#r!==null&&clearTimeout(this.#r),this.#r=null,this.#i&&(this.#i=!1,this.#f())}undo(e){this.flush();let t=(this.#c??this.#o)+e;if(t<0||t>this.#s)return!1;let n=this.#c!==null;return this.#c=t,n||this.#t.go(e),setTimeout(()=>this.#c===t&&(this.#c=null),fg),!0}restore(){this.#u=!1,this.#r!==null&&clearTimeout(this.#r),this.#r=null,this.#i=!1;let e=this.#t.at(),t=e!==this.#o;this.#o=e??this.#o+1,this.#p(this.#d()),e===null?(this.#s=this.#o,this.#c=null,this.#t.mark(this.#o)):this.#c===e?this.#c=null:this.#c!==null&&t&&this.#t.go(this.#c-e)}#d(){let e=this.#t.hash();return this.#l=ia(e),oa(e)}#f(){this.#u=!1;let e=ra(this.#e);e!==this.#t.hash().replace(/^#/,``)&&(this.#l=[],this.#c=null,this.#o++,this.#s=this.#o,this.#t.push(e,this.#o))}#p(e){let t=this.#e;this.#e=e;for(let n of[...this.#n])n(e,t)}};w(),O(),On(),F(),Vi(),K(),R(),W();var mg=100,hg=class extends C{static{this.styles=[L,l`
      :host {
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        padding: 5px 12px;
      }
      form {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 6px;
        align-items: center;
      }
      input {
        width: 260px;
      }
      .message {
        min-width: 90px;
        flex: 1;
      }
      .message.none {
        color: var(--bad);
      }
      ol {
        list-style: none;
        margin: 5px 0 0;
        padding: 0;
        max-height: min(128px, 20vh);
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: 6px;
      }
      li button {
        display: grid;
        grid-template-columns: 9ch minmax(9ch, max-content) 10ch 24ch minmax(0, 1fr);
        gap: 0 14px;
        width: 100%;
        min-height: 24px;
        padding: 0 8px;
        border-radius: 0;
        text-align: left;
        font-size: 12px;
      }
      li button[aria-current="true"] {
        background: var(--accent-soft);
      }
      li span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
    `]}#e;#t;#n;constructor(){super(),this.text=``,this.at=0,this.isListed=!0,this.message=``,this.#e=new Dn(this),this.#t=0,this.#n=null,new G(this)}get#r(){return this.text.trim()}#i(){let e=this.app.store.state;return{...e.filter,functions:Ri(e,this.app.run?.functions??[])}}willUpdate(){let{app:e,at:t}=this,n=this.#r;if(!n||e.run?.state!==`ready`)return;let r=this.#i();this.#e.update({text:n,restriction:r,at:t,run:e.run.id,growth:e.growth},async i=>({text:n,...await e.client.matches(n,r,t,mg,i)}))}get#a(){let{value:e,error:t}=this.#e;return e&&!t&&e.text===this.#r?e:null}updated(){let e=this.renderRoot.querySelector(`[aria-current="true"]`);e!==this.#n&&e?.scrollIntoView({block:`nearest`}),this.#n=e;let{opened:t}=this.app.desk;t!==this.#t&&(this.#t=t,this.renderRoot.querySelector(`input`)?.select())}#o(){let{selection:e}=this.app.store.state;return this.#a?.rows.findIndex(t=>t.rank===e?.rank&&t.row===e.row)??-1}#s(e){let{app:t}=this,n=this.#r;n&&t.run?.state===`ready`&&t.goTo(async r=>{let i=t.store.state.selection?await t.selected():null,{window:a}=t,o=i?{}:e===`next`?{from:Math.floor(a.from)}:{until:Math.ceil(a.until)},s=await t.client.find(n,e,{...this.#i(),...o},i,r);return s&&!this.#a?.rows.some(e=>e.rank===s.rank&&e.row===s.row)&&(this.at=s.start_ns),s},`There is no ${e} match.`,e=>this.message=e)}#c(e){this.text=e,this.at=0,this.message=``}#l(e){if(e.key===`Escape`)this.app.open(null);else if(e.key===`Enter`&&e.shiftKey)this.#s(`previous`);else return;e.preventDefault()}#u(){let{app:e}=this;if(!this.#r)return{text:``,isNone:!1};if(e.run?.state!==`ready`)return{text:`Calls can be searched once the run is loaded.`,isNone:!1};let t=this.#e.error;if(t)return{text:`${t.message}. ${t.next}`,isNone:!0};let n=this.#a;if(!n)return{text:`counting …`,isNone:!1};if(!n.total)return{text:`No call matches “${this.#r}” in its function, call site, region or communicator.`,isNone:!0};if(this.message)return{text:this.message,isNone:!0};let r=this.#o(),i=M(n.total,`call`);return{text:r<0?i:`${j(n.before+r+1)} of ${i}`,isNone:!1}}render(){let{text:e,isNone:t}=this.#u(),n=this.#r?this.#a:null;return x`<form
        role="search"
        @submit=${e=>{e.preventDefault(),this.#s(`next`)}}
        @keydown=${e=>this.#l(e)}
      >
        <input
          type="search"
          aria-label="Search calls"
          placeholder="function, call site, region …"
          .value=${this.text}
          @input=${e=>this.#c(e.target.value)}
        />
        <button class="line" type="button" title="Shift+Enter" @click=${()=>this.#s(`previous`)}>Previous</button>
        <button class="line" type="submit" title="Enter">Next</button>
        <span class="message number ${t?`none`:``}" role="status">${e}</span>
        ${n?.total?x`<button class="line" type="button" aria-expanded=${this.isListed} @click=${()=>this.isListed=!this.isListed}>List</button>`:S}
        <button type="button" aria-label="Close the search" @click=${()=>this.app.open(null)}>✕</button>
      </form>
      ${n?.rows.length&&this.isListed?this.#d(n):S}`}#d({rows:e,before:t,total:n}){let{app:r}=this,{selection:i}=r.store.state,a=(e.at(-1).start_ns-e[0].start_ns)/e.length/10,o=e=>e.rank===i?.rank&&e.row===i.row,s=n-t-e.length;return x`<ol aria-label="Matching calls">
      ${t?x`<li><button @click=${()=>this.at=0}><span>${j(t)} before</span></button></li>`:S}
      ${e.map((e,n)=>x`<li>
          <button aria-current=${o(e)?`true`:S} @click=${()=>r.show(e)}>
            <span class="number muted">${j(t+n+1)}</span>
            <span class="number">${P(e.start_ns,a)}</span>
            <span class="number">rank ${r.worldRank(e.rank)}</span>
            <span>${r.names?.function(e.function)} <span class="muted">${k(e.end_ns-e.start_ns)}</span></span>
            <span class="muted">${r.names?.site(e.site)}</span>
          </button>
        </li>`)}
      ${s>0?x`<li><button @click=${()=>this.at=e.at(-1).start_ns}><span>${j(s)} after</span></button></li>`:S}
    </ol>`}};U([E({attribute:!1})],hg.prototype,`app`,void 0),U([D()],hg.prototype,`text`,void 0),U([D()],hg.prototype,`at`,void 0),U([D()],hg.prototype,`isListed`,void 0),U([D()],hg.prototype,`message`,void 0),hg=U([T(`mp-find`)],hg),w(),O(),R(),W();var gg=class extends C{static{this.styles=[L,l`
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
    `]}firstUpdated(){let e=this.renderRoot.querySelector(`dialog`);e.addEventListener(`close`,()=>this.isConnected&&this.app.open(null)),e.addEventListener(`click`,t=>t.target===e&&e.close()),e.showModal()}close(){this.renderRoot.querySelector(`dialog`)?.close()}};U([E({attribute:!1})],gg.prototype,`app`,void 0),w(),O(),F(),K(),ba(),It(),W();var _g=class extends gg{static{this.styles=[...gg.styles,l`
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        padding: 8px 14px;
        border-top: 1px solid var(--line);
      }
      .line1 {
        display: flex;
        gap: 8px;
        align-items: baseline;
      }
      .go {
        font-weight: 600;
        text-align: left;
        padding: 2px 0;
        overflow-wrap: anywhere;
        color: var(--accent);
      }
      .space {
        flex: 1;
      }
      p {
        margin: 2px 0 0;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      form {
        display: grid;
        gap: 6px;
      }
      label {
        display: grid;
        gap: 2px;
        color: var(--muted);
        font-size: 12px;
      }
      textarea {
        font: inherit;
        color: var(--text);
        background: var(--panel);
        border: 1px solid var(--line-strong);
        border-radius: 5px;
        padding: 4px 6px;
        resize: vertical;
      }
      .problem {
        padding: 8px 14px;
        border-top: 1px solid var(--line);
        margin: 0;
      }
      .gone {
        display: flex;
        gap: 8px;
        align-items: center;
        padding: 6px 14px;
        border-top: 1px solid var(--line);
      }
    `]}constructor(){super(),this.editing=null,this.gone=null,new G(this)}#e(){let{app:e}=this,t=ga(e);t?(e.notes.put(t),this.#t(t.id)):e.say(e.notes.notes.length>=Mt.notes?`There are already ${Mt.notes} bookmarks, the maximum: delete some first.`:`The address of this view is too long for a bookmark.`)}#t(e){let t=this.editing;this.editing=e,this.updateComplete.then(()=>{e===null?this.renderRoot.querySelector(`li[data-id="${t}"] .go`)?.focus():this.renderRoot.querySelector(`input`)?.select()})}#n(e,t){e.preventDefault();let n=new FormData(e.target);this.app.notes.put(va(t,String(n.get(`title`)),String(n.get(`text`)))),this.#t(null)}#r(e){this.app.notes.remove(e.id),this.gone=e,this.updateComplete.then(()=>this.renderRoot.querySelector(`.gone button`)?.focus())}render(){let{app:e,gone:t}=this,{notes:n,problem:r}=e.notes;return x`<dialog aria-label="Bookmarks">
      <div class="head">
        <h2>Bookmarks</h2>
        <button class="line add" autofocus @click=${()=>this.#e()}>Bookmark this view</button>
        <button class="line" @click=${()=>this.close()}>Close</button>
      </div>
      ${e.client.isExported?x`<p class="problem muted">This is an exported page: changes are lost when it is closed.</p>`:r?x`<p class="problem" role="alert"><b>Not saved with the run:</b> ${r.message}. ${r.next}</p>`:S}
      ${t?x`<div class="gone" role="status">
            <span>Deleted: ${t.title}</span>
            <button
              class="line"
              @click=${()=>{e.notes.put(t),this.gone=null}}
            >
              Restore
            </button>
          </div>`:S}
      <div class="scroll" tabindex="-1">
        ${n.length?x`<ol aria-label="Bookmarks">${n.map(e=>x`<li data-id=${e.id}>${this.editing===e.id?this.#a(e):this.#i(e)}</li>`)}</ol>`:x`<p class="note">No bookmarks yet. A bookmark saves a view of this run with its zoom, filter and selection.</p>`}
      </div>
    </dialog>`}#i(e){let{app:t}=this,n=[e.at_ns===null?``:P(e.at_ns,1e3),e.rank===null?``:`rank ${t.worldRank(e.rank)}`].filter(Boolean).join(`, `);return x`<div class="line1">
        <button
          class="go"
          @click=${()=>{this.close(),_a(t,e)}}
        >
          ${e.title}
        </button>
        <span class="muted number">${n}</span>
        <span class="space"></span>
        <button class="line" aria-label="Edit ${e.title}" @click=${()=>this.#t(e.id)}>Edit</button>
        <button class="line" aria-label="Delete ${e.title}" @click=${()=>this.#r(e)}>Delete</button>
      </div>
      ${e.text?x`<p>${e.text}</p>`:S}`}#a(e){return x`<form aria-label="Bookmark" @submit=${t=>this.#n(t,e)} @keydown=${e=>{if(e.key===`Enter`&&(e.ctrlKey||e.metaKey))e.currentTarget.requestSubmit();else if(e.key===`Escape`)this.#t(null);else return;e.preventDefault(),e.stopPropagation()}}>
      <label>Title <input name="title" maxlength=${Mt.title} .value=${e.title} required /></label>
      <label>Note <textarea name="text" rows="3" maxlength=${Mt.text} .value=${e.text}></textarea></label>
      <div class="line1">
        <button class="line">Save</button>
        <button class="line" type="button" @click=${()=>this.#t(null)}>Cancel</button>
      </div>
    </form>`}};U([D()],_g.prototype,`editing`,void 0),U([D()],_g.prototype,`gone`,void 0),_g=U([T(`mp-notes`)],_g),w(),O(),fs(),W();var vg=[[`Click`,`select the call; when zoomed out, the longest call at that place`],[`Drag`,`select an area; a horizontal drag selects all visible ranks`],[`Drag with Shift or the middle button, or drag the axis`,`pan`],[`Wheel`,`scroll through the ranks; with Shift, through time`],[`Ctrl and wheel`,`zoom in time at the pointer`],[`Alt and wheel`,`change the height of the ranks`],[`Double click`,`zoom in by a factor of four`],[`Click an iteration on the ruler`,`zoom to that iteration`],[`Click the name of a group`,`unfold the group into its ranks, or fold it`],[`Click a rank's number`,`select that rank over the visible time`]],yg=class extends gg{static{this.styles=[...gg.styles,l`
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
    `]}render(){let e=[...new Set(ds.map(e=>e.group))];return x`<dialog aria-label="Keyboard and mouse">
      <div class="head">
        <h2>Keyboard and mouse</h2>
        <button class="line" autofocus @click=${()=>this.close()}>Close</button>
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="List of shortcuts">
        <section>
          <h3>Mouse on the timeline</h3>
          <dl class="mouse">${vg.map(([e,t])=>x`<dt>${e}</dt><dd>${t}</dd>`)}</dl>
        </section>
        ${e.map(e=>x`<section>
            <h3>${e}</h3>
            <dl>
              ${ds.filter(t=>t.group===e&&t.keys.length).map(e=>x`<dt>${e.keys.map((e,t)=>x`${t?` `:``}<kbd>${Dm(e)}</kbd>`)}</dt><dd>${e.title}</dd>`)}
            </dl>
          </section>`)}
        <p class="muted">
          Letters are places on the keyboard (W A S D as on an English one). Commands without a key are in the palette, Ctrl+Shift+P, which also turns single
          keys off.
        </p>
      </div>
    </dialog>`}};yg=U([T(`mp-help`)],yg),w(),O(),fs(),W();function bg(e,t){let n=t.toLowerCase().split(/\s+/).filter(Boolean),r=e.filter(e=>n.every(t=>`${e.title} ${e.group}`.toLowerCase().includes(t))),i=e=>+!e.title.toLowerCase().startsWith(t.toLowerCase().trim());return r.map((e,t)=>({c:e,i:t})).sort((e,t)=>i(e.c)-i(t.c)||e.i-t.i).map(({c:e})=>e)}var xg=[`palette`,`go-to`],Sg=class extends gg{constructor(...e){super(...e),this.text=``,this.active=0}static{this.styles=[...gg.styles,l`
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
      .place small {
        color: var(--muted);
        font-size: 12px;
      }
    `]}#e(){let{destinations:e,problem:t}=td(this.app,this.text);return{places:e,problem:t,commands:bg(ds.filter(e=>!xg.includes(e.id)&&(e.when?.(this.app)??!0)).map(e=>({...e,title:e.titleOf?.(this.app)??e.title})),this.text)}}#t(e){e&&(this.close(),this.app.open(null),e())}#n(e){let{places:t,commands:n}=this.#e(),{length:r}=[...t,...n];if(e.key===`ArrowDown`)this.active=Math.min(r-1,this.active+1);else if(e.key===`ArrowUp`)this.active=Math.max(0,this.active-1);else if(e.key===`Enter`)this.#t(t[this.active]?.run??this.#r(n[this.active-t.length]));else return;e.preventDefault()}#r(e){return e&&(()=>e.run(this.app))}updated(){this.renderRoot.querySelector(`[aria-selected="true"]`)?.scrollIntoView({block:`nearest`})}render(){let{places:e,problem:t,commands:n}=this.#e(),r=(e,t,n,r)=>x`<div class="option ${n}" role="option" id="option-${e}" aria-selected=${e===this.active} @click=${()=>this.#t(t)}>${r}</div>`;return x`<dialog aria-label="Command palette">
      <div class="head">
        <input
          autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="options"
          aria-activedescendant=${e.length+n.length?`option-${this.active}`:``}
          aria-label="Command or destination"
          placeholder="command or destination: 12.5 s, rank 7, ranks 0-15, iteration 184"
          .value=${this.text}
          @input=${e=>{this.text=e.target.value,this.active=0}}
          @keydown=${e=>this.#n(e)}
        />
      </div>
      ${t?x`<p class="note" role="status">${t}</p>`:``}
      <div class="scroll" id="options" role="listbox" aria-label="Commands and destinations" tabindex="-1">
        ${e.map((e,t)=>r(t,e.run,`place`,x`<span>${e.title}</span><small>${e.detail}</small>`))}
        ${n.map((t,n)=>r(e.length+n,this.#r(t),``,x`<span>${t.title}</span><span aria-hidden="true">${t.keys.map(e=>x`<kbd>${Dm(e)}</kbd>`)}</span>`))}
      </div>
      ${e.length||n.length||t?``:x`<p class="note" role="status">No matching command.</p>`}
    </dialog>`}};U([D()],Sg.prototype,`text`,void 0),U([D()],Sg.prototype,`active`,void 0),Sg=U([T(`mp-palette`)],Sg),w(),O(),F(),Ui(),Gi(),K(),R(),W();var Cg=40,wg=class extends C{static{this.styles=[L,Eu,l`
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
    `]}constructor(){super(),new G(this)}#e(e){let{store:t}=this.app.comparison,[n,r]=[e.split(`:`,1)[0],e.slice(e.indexOf(`:`)+1)];n===`start`||n===`init`?t.set({align:{by:n}}):n===`iteration`?this.#i(0):n===`phase`?this.#i(0,r):n===`region`?t.set({align:{by:n,name:r}}):Hi(this.app)}#t(){return this.#r(e=>e.run?.iterations?.phases?.map(({name:e})=>e)??[])}#n(){return this.#r(e=>e.run?.regions.map(({name:e})=>e)??[]).slice(0,Cg)}#r(e){let[t,n]=this.app.comparison.apps.map(e);return[...new Set(t)].filter(e=>n?.includes(e))}#i(e,t=null){let{store:n,apps:r}=this.app.comparison,{from:i,until:a}=n.state,o=r[0].run?.iterations?.from_ns[e],s=o!==void 0&&i!==null&&a!==null&&(o<i||o>a),c=s?Math.round((a-i)/10):0,l=t===null?{by:`iteration`,number:e}:{by:`phase`,number:e,name:t};n.set({align:l,...s?{from:o-c,until:o-c+(a-i)}:{}})}render(){let{app:e}=this,{comparison:t}=e;if(!t.isTwo)return S;let{align:n,page:r}=t.store.state,i=t.apps.every(e=>e.run?.iterations),a=Math.min(...t.apps.map(e=>e.run?.iterations?.from_ns.length??1))-1,o=`name`in n?`${n.by}:${n.name}`:n.by,s=(e,t,n=!0)=>x`<option value=${e} ?selected=${o===e} ?disabled=${!n&&o!==e}>${t}</option>`,[c,l]=[this.#t(),this.#n()],u=n.by===`iteration`||n.by===`phase`;return x`<div class="bar" role="region" aria-label="Runs">
      <span class="muted">${r===`overview`?`overview of`:`panes, legend and selected call of`}</span>
      <span class="set" role="group" aria-label="Run that the panes show">
        ${t.apps.map(e=>x`<button aria-pressed=${e.side===t.about} @click=${()=>t.show(e.side)}>
            <span class="run-word side${e.side}">${Wi[e.side]}</span> ${e.run?.name??(e.error?`not available`:`…`)}
          </button>`)}
      </span>
      ${r===`views`?x`<label
              >aligned at
              <select aria-label="Align both runs at" @change=${e=>this.#e(e.target.value)}>
                ${s(`init`,`the end of MPI_Init`)} ${s(`start`,`the start of each run`)} ${s(`iteration`,`an iteration`,i)}
                ${s(`at`,`the selected calls`,Tg(e))} ${c.map(e=>s(`phase:${e}`,`the phase ${e}`))}
                ${l.map(e=>s(`region:${e}`,`the start of region ${e}`))}
                ${`name`in n&&!c.includes(n.name)&&!l.includes(n.name)?s(o,`${n.by} ${n.name}`):S}
              </select></label
            >
            ${u?x`<label
                  >${n.by===`phase`?`of iteration`:`number`}
                  <input
                    type="number"
                    min="0"
                    max=${Math.max(0,a)}
                    aria-label="Aligned iteration"
                    .value=${String(n.number)}
                    @change=${e=>{this.#i(Math.max(0,Math.floor(Number(e.target.value)||0)),n.by===`phase`?n.name:null)}}
                  /></label>`:S}
            ${t.isAligned?S:x`<span role="status">The runs do not both have this point; they are aligned at the end of MPI_Init.</span>`}
            <span class="muted number" title="How far the second run is shifted in time to align it with the first">${this.#a()}</span>`:S}
    </div>`}#a(){let e=this.app.comparison.shift(1);return e===0?``:`after is shifted by ${e<0?`+`:`−`}${k(Math.abs(e))}`}};U([E({attribute:!1})],wg.prototype,`app`,void 0),wg=U([T(`mp-runs-bar`)],wg);function Tg(e){let{selection:t,other:n}=e.comparison.store.state;return t!==null&&n!==null}Je();var Eg=Symbol.for(``),Dg=e=>{if(e?.r===Eg)return e?._$litStatic$},Og=e=>({_$litStatic$:e,r:Eg}),kg=new Map,Ag=(e=>(t,...n)=>{let r=n.length,i,a,o=[],s=[],c,l=0,u=!1;for(;l<r;){for(c=t[l];l<r&&(a=n[l],(i=Dg(a))!==void 0);)c+=i+t[++l],u=!0;l!==r&&s.push(a),o.push(c),l++}if(l===r&&o.push(t[r]),u){let e=o.join(`$$lit$$`);(t=kg.get(e))===void 0&&(o.raw=o,kg.set(e,t=o)),n=s}return e(t,...n)})(x);w(),O(),On(),Ln(),R(),hr(),F(),K(),W();var jg=class extends C{static{this.styles=[L,l`
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
    `]}#e=new Dn(this);constructor(){super(),new G(this)}willUpdate(){let{app:e}=this;if(!e.store.state.area||e.run?.state!==`ready`)return;let t={...e.scope,by:`function`,sort:`total_ns`,limit:40};this.#e.update(t,n=>e.client.groups(t,n))}render(){let{app:e}=this,{area:t}=e.store.state;if(!t)return x`<p class="muted">Drag over the timeline to select a range of time and ranks. Its statistics are shown here, and the views below are limited to it.</p>`;let n=(t.until-t.from)/1e3,r=t.row_from===null?0:t.row_from,i=(t.row_until===null?e.rows:Math.min(t.row_until,e.rows))-1,a=this.#e.value,o=a?.rows.reduce((e,t)=>e+t.total_ns,0)??0,s=a?.rows.reduce((e,t)=>e+t.share,0)??0,c=t=>e.order?.starts?.[t]??t,l=c(i+1)-c(r);return x`<h2 class="number">${k(t.until-t.from)} × ${M(l,`rank`)}</h2>
      <div class="muted number">${P(t.from,n)} to ${P(t.until,n)}; ${i===r?e.nameAt(r):`${e.order?`rows`:`ranks`} ${r} to ${i}`}</div>
      <div class="buttons">
        <button class="line" @click=${()=>e.setWindow({from:t.from,until:t.until,row_from:r,row_until:i+1},!1)}>Zoom to it</button>
        <button class="line" @click=${()=>e.store.set({area:null})}>Clear selection</button>
      </div>
      ${this.#e.error?Pn(this.#e.error):S}
      ${a?x`<table aria-busy=${this.#e.isBusy}>
            <thead>
              <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
            </thead>
            <tbody>
              ${a.rows.map(t=>x`<tr>
                  <td>${t.key[0]?.id===null?S:pr(e,t.key[0].id)} ${t.key[0]?.text.replace(/^MPI_/,``)}</td>
                  <td class="number">${j(t.count)}</td>
                  <td class="number">${k(t.total_ns)}</td>
                  <td class="number">${N(t.share)}</td>
                </tr>`)}
              <tr><td><b>in MPI</b></td><td></td><td class="number">${k(o)}</td><td class="number">${N(s)}</td></tr>
            </tbody>
          </table>`:S}`}};U([E({attribute:!1})],jg.prototype,`app`,void 0),jg=U([T(`mp-area`)],jg),w(),O(),Ln(),R(),hr(),fs(),F(),K(),W();var Mg=[[`rank`,`previous`,`next`],[`function`,`previous-function`,`next-function`],[`communicator`,`previous-comm`,`next-comm`],[`call site`,`previous-site`,`next-site`],[`message, collective`,`along-previous`,`along-next`],[`longer`,`previous-longer`,`next-longer`]],Ng={},Pg=e=>Ng[e]??e.replace(/_/g,` `).replace(/\bnxn\b/,`N×N`),Fg=class extends C{static{this.styles=[L,l`
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
    `]}constructor(){super(),new G(this)}render(){let{app:e}=this,{selection:t}=e.store.state;if(!t)return x`<div class="body">
        <p class="muted">Click a call in the timeline or a point in the scatter plot, or press <kbd>L</kbd> to select the longest visible call.</p>
        ${this.#o()}
      </div>`;if(e.detailError)return Pn(e.detailError);let n=e.detail;return n?x`<div class="body">${this.#t(n)} ${this.#o()}</div>`:x`<p class="note" role="status">…</p>`}#e(e){this.app.goTo(async t=>{let n=await this.app.client.call(e,t);return{...e,start_ns:n.start_ns,end_ns:n.start_ns+n.duration_ns}},`This call is not available.`)}#t(e){let{app:t}=this,n=(e,t)=>t==null||t===``?S:x`<dt>${e}</dt><dd class="number">${t}</dd>`,r=e.bytes_sent?A(e.bytes_sent):null,i=e.bytes_received?A(e.bytes_received):null,a=e.bytes_sent+e.bytes_received;return x`<h2>${pr(t,e.function_id)} ${e.function}</h2>
      <div class="number"><b>${k(e.duration_ns)}</b> <span class="muted">on rank ${e.world_rank}${t.run&&t.run.hosts.length>1?x`, ${e.host}`:S}</span></div>
      ${e.is_failed?x`<div class="bad">The call failed.</div>`:S}
      ${e.is_poll?x`<div class="muted">${M(e.count,`unsuccessful poll`)} merged into one entry</div>`:S}
      ${e.is_nested?x`<div class="muted">Made inside another call</div>`:S}
      <dl>
        ${n(`start`,P(e.start_ns,1))} ${n(`end`,P(e.end_ns??e.start_ns+e.duration_ns,1))}
        ${n(`duration`,zt(e.duration_ns))}
        ${n(`thread`,(t.run?.ranks.threads[e.rank]??1)>1?e.thread:null)}
        ${n(`communicator`,e.comm)} ${n(`peer`,e.peer===null?null:t.worldRank(e.peer))} ${n(`root`,e.root===null?null:t.worldRank(e.root))}
        ${n(`tag`,e.tag)} ${n(`sent`,r)} ${n(`received`,i)}
        ${n(`elements`,e.elements?x`${j(e.elements)}${e.datatype?x` × ${e.datatype}`:S}`:null)}
        ${n(`throughput`,a&&e.duration_ns?Bt(a/e.duration_ns*1e9):null)}
        ${n(`region`,e.region)} ${n(`iteration`,e.iteration)} ${n(`call number`,j(e.row))}
      </dl>
      ${this.#r(e)} ${this.#i(e)} ${this.#a(e)} ${this.#n(e)}`}#n(e){let{frames:t,text:n}=e.site;return!n&&!t.length?S:x`<h3>Called from</h3>
      ${t.length>1?x`<ol class="mono">${t.map(e=>x`<li>${e}</li>`)}</ol>`:x`<div class="mono">${t[0]??n}</div>`}`}#r(e){return e.waits.length?x`<h3>Waits</h3>
      <ul>
        ${e.waits.map(e=>x`<li>
            ${k(e.end_ns-e.start_ns)} ${Pg(e.kind)}${e.cause?x`, for <button class="link" @click=${()=>this.#e(e.cause)}>rank ${this.app.worldRank(e.cause.rank)}</button>`:S}
          </li>`)}
      </ul>`:S}#i(e){return e.messages.length?x`<h3>Messages</h3>
      <ul>
        ${e.messages.slice(0,12).map(e=>x`<li>
            ${e.direction.startsWith(`s`)?`to`:`from`}
            <button class="link" @click=${()=>this.#e({rank:e.rank,row:e.row})}>rank ${this.app.worldRank(e.rank)}</button>
            ${A(e.bytes)}, tag ${e.tag}${e.received_ns===null?`, never received`:x`, ${k(e.received_ns-e.sent_ns)} in flight`}
          </li>`)}
        ${e.messages.length>12?x`<li class="muted">and ${e.messages.length-12} more</li>`:S}
      </ul>`:S}#a(e){let t=e.collective;return t?x`<h3>Collective operation</h3>
      <dl>
        <dt>operation</dt><dd>number ${j(t.number)} on ${t.comm}</dd>
        <dt>members</dt><dd>${j(t.members)}${t.missing?`, ${j(t.missing)} more not recorded`:``}</dd>
        <dt>arrived within</dt><dd>${k(t.last_start_ns-t.first_start_ns)}</dd>
        ${t.last_rank===null?S:x`<dt>last to arrive</dt><dd>rank ${this.app.worldRank(t.last_rank)}</dd>`}
      </dl>`:S}#o(){let{app:e}=this,t=(t,n)=>{let r=ds.find(e=>e.id===t),i=r.keys[0];return x`<button class="line" title=${r.title} ?disabled=${!(r.when?.(e)??!0)} @click=${()=>r.run(e)}>
        <span aria-hidden="true">${n}</span>${i?x`<kbd aria-hidden="true">${Dm(i)}</kbd>`:S}<span class="hidden-text">${r.title}</span>
      </button>`};return x`<h3>Step to another call</h3>
      <div class="walks">${Mg.map(([e,n,r])=>x`${t(n,`‹`)}<span>${e}</span>${t(r,`›`)}`)}</div>`}};U([E({attribute:!1})],Fg.prototype,`app`,void 0),Fg=U([T(`mp-inspector`)],Fg),w(),O(),hr(),R(),F(),fr(),V(),K(),W();var Ig=e=>e.split(/(?<=_)/).map((e,t)=>x`${t?x`<wbr />`:S}${e}`),Lg=class extends C{static{this.styles=[L,l`
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
      .name input[type="color"] {
        flex: none;
        width: 24px;
        min-width: 24px;
        height: 24px;
        min-height: 24px;
        margin: 0 -5px 0 0;
        padding: 6px;
        border: 0;
        border-radius: 4px;
        background: none;
        cursor: pointer;
      }
      input[type="color"]::-webkit-color-swatch-wrapper {
        padding: 0;
      }
      input[type="color"]::-webkit-color-swatch {
        border: 0;
        border-radius: 2px;
      }
      .name span,
      label span {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .name button {
        padding: 0 0 0 3px;
        min-height: 24px;
        min-width: 0;
        white-space: normal;
        overflow-wrap: anywhere;
        line-height: 1.1;
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
        flex-wrap: wrap;
        align-items: center;
        gap: 2px 14px;
        font-size: 12px;
        color: var(--muted);
      }
      .ground span {
        display: inline-flex;
        gap: 5px;
        align-items: center;
      }
    `]}constructor(){super(),this.text=``,this.sort=`time_ns`,new G(this)}#e(){let{app:e}=this,t=e.run;if(!t)return[];let n=(e,t,n,r)=>({key:t,name:e,colour:n,functions:r.map(e=>e.id),calls:r.reduce((e,t)=>e+t.calls,0),time_ns:r.reduce((e,t)=>e+t.time_ns,0),exclusive_ns:r.reduce((e,t)=>e+t.exclusive_ns,0)}),r=e.store.state.colouring===`class`?t.classes.map(r=>n(r.name,r.id,e.colours.class(r.id),t.functions.filter(e=>e.class===r.id))).filter(e=>e.functions.length):t.functions.map(t=>n(t.name,String(t.id),e.colours.function(t.id),[t])),i=this.text.trim().toLowerCase();return r.filter(e=>e.name.toLowerCase().includes(i)).sort((e,t)=>this.sort===`name`?e.name.localeCompare(t.name):t[this.sort]-e[this.sort]||e.name.localeCompare(t.name))}#t(e,t){let n=new Set(this.app.store.state.hidden);for(let r of e)t?n.delete(r):n.add(r);this.app.store.set({hidden:[...n].sort((e,t)=>e-t)})}#n(e,t){let n=new Set(this.app.store.state.skipped);for(let r of e)t?n.delete(r):n.add(r);this.app.store.set({skipped:[...n].sort((e,t)=>e-t)})}#r(e,t){let{store:n}=this.app;n.move({paint:{...n.state.paint,[e]:t.target.value.slice(1)}})}#i(e,t,n){let r=this.sort===e;return x`<th scope="col" aria-sort=${r?e===`name`?`ascending`:`descending`:S} title=${n}>
      <button @click=${()=>this.sort=e}>${t}${r?e===`name`?` ▴`:` ▾`:``}</button>
    </th>`}#a(){let{app:e}=this,{layers:t}=e.store.state,n=z[e.theme];return[[t.includes(`messages`),`message`,`From the call that sends to the return of the call that completes the receive. When zoomed out, one line bundles many messages; a thicker line has more`,n.arrow,``,!0],[t.includes(`rma`)&&af(e.run),`one-sided access`,`In the direction of the data: to the target of a put, from the target of a get. Spans the duration of the call`,n.rma,`5 2`,!0],[t.includes(`collectives`),`collective`,`Connects the starts of its members; the dashed line connects their ends`,n.collective,``,!1]].filter(([e])=>e).map(([,e,t,n,r,i])=>x`<span title=${t}
          ><svg width="22" height="9" viewBox="0 0 22 9" fill="none" stroke=${n} stroke-width="1.6" aria-hidden="true">
            <path d="M1 4.5H20" stroke-dasharray=${r||S}></path>
            ${i?Me`<path d="M15 1.5L21 4.5L15 7.5Z" fill=${n} stroke="none"></path>`:S}</svg
          >${e}</span
        >`)}render(){let{app:e}=this,t=e.run;if(!t)return x``;let n=this.#e(),r=new Set(e.store.state.hidden),i=new Set(e.store.state.skipped),a=n.flatMap(e=>e.functions),o=e.store.state.filter.functions,s=t.functions.reduce((e,t)=>e+t.time_ns,0);return x`<div class="top">
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
              ${this.#i(`name`,e.store.state.colouring===`class`?`Class`:`Function`,`Box: shown, or else drawn as computing. Magnifier: whether search and stepping stop here`)}
              ${this.#i(`calls`,`Calls`,`In the whole run, including calls whose events were overwritten`)}
              ${this.#i(`time_ns`,`Time`,`From entry to return, sum of all ranks`)}
              ${this.#i(`exclusive_ns`,`Excl.`,`Exclusive: without MPI calls made inside the call, for example by callbacks`)}
            </tr>
          </thead>
          <tbody>
            ${n.map(t=>{let n=t.functions.some(e=>!r.has(e)),a=n&&t.functions.some(e=>!i.has(e)),c=o!==null&&t.functions.length===o.length&&t.functions.every(e=>o.includes(e));return x`<tr class=${n?``:`off`}>
                <td title=${t.name}>
                  <div class="name">
                    <input type="checkbox" title="Show" aria-label="Show ${t.name}" .checked=${n} @change=${()=>this.#t(t.functions,!n)} />
                    <input type="color" title="Colour of ${t.name}: choose another" aria-label="Colour of ${t.name}" .value=${I(t.colour)} @input=${e=>this.#r(t.key,e)} @change=${()=>e.store.flush()} />
                    <button
                      aria-pressed=${c}
                      title="Show only ${t.name} in all views"
                      @click=${()=>e.store.set({filter:{...e.store.state.filter,functions:c?null:t.functions}})}
                    >
                      ${Ig(t.name.replace(/^MPI_/,``))}
                    </button>
                    <button
                      class="search"
                      title=${a?`Search and stepping stop here`:`Search and stepping skip this`}
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
                <td class="number" title=${j(t.calls)}>${Ht(t.calls)}</td>
                <td class="number" title="${N(t.time_ns/Math.max(1,s))} of the time in MPI">${k(t.time_ns)}</td>
                <td class="number">${k(t.exclusive_ns)}</td>
              </tr>`})}
          </tbody>
        </table>
      </div>
      <div class="ground">
        <span>${mr(I(ar[e.theme]))} computing</span>
        <span>${mr(I(e.colours.class(`completion`)),!0)} waiting inside a call</span>
        ${this.#a()}
        ${Object.keys(e.store.state.paint).length?x`<button class="line" @click=${()=>e.store.set({paint:{}})}>Reset colours</button>`:S}
      </div>`}};U([E({attribute:!1})],Lg.prototype,`app`,void 0),U([D()],Lg.prototype,`text`,void 0),U([D()],Lg.prototype,`sort`,void 0),Lg=U([T(`mp-legend`)],Lg),w(),O(),K(),R(),W();var Rg=class extends C{static{this.styles=[L,l`
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
    `]}constructor(){super(),new G(this)}render(){let{app:e}=this,{finding:t,selection:n}=e.store.state,r=t===null?null:e.report?.explanation?.findings[t]??null;if(!r||t===null)return S;let i=r.proof.findIndex(t=>n!==null&&e.rankOfWorld(t.rank)===n.rank&&t.row===n.row),a=n=>{let a=i<0?0:(i+n+r.proof.length)%r.proof.length;Pu(e,t,r.proof[a])};return x`<div class="bar" role="region" aria-label="Finding">
      <b title=${r.title}>${r.title}</b>
      ${r.proof.length?x`<span class="muted number">${i>=0?`place ${i+1} of ${r.proof.length}`:`${r.proof.length} places`}</span>
            <button class="line" @click=${()=>a(-1)}>Previous place</button>
            <button class="line" @click=${()=>a(1)}>Next place</button>`:S}
      <button class="line" @click=${()=>e.store.set({page:`overview`})}>All findings</button>
      <button class="line" aria-label="Close the finding" @click=${()=>e.store.set({finding:null})}>✕</button>
    </div>`}};U([E({attribute:!1})],Rg.prototype,`app`,void 0),Rg=U([T(`mp-proofs`)],Rg),w(),O(),F(),ml(),K(),R(),W();function zg(e,t){let n=[],{names:r,run:i}=e;if(t.functions){let e=t.functions.slice(0,3).map(e=>r?.function(e)??String(e));n.push({text:e.join(`, `)+(t.functions.length>3?` and ${t.functions.length-3} more`:``),without:{functions:null}})}t.ranks!==null&&n.push({text:`${/[-,]/.test(t.ranks)?`ranks`:`rank`} ${t.ranks}`,without:{ranks:null}}),t.host!==null&&n.push({text:`host ${i?.hosts[t.host]??t.host}`,without:{host:null}}),t.peer!==null&&n.push({text:`peer ${t.peer}`,without:{peer:null}}),t.peers!==null&&n.push({text:`peers ${t.peers}`,without:{peers:null}}),t.comm!==null&&n.push({text:r?.comm(t.comm)??`communicator ${t.comm}`,without:{comm:null}}),t.site!==null&&n.push({text:r?.site(t.site)||`call site ${t.site}`,without:{site:null}}),t.region!==null&&n.push({text:`region ${r?.region(t.region)??t.region}`,without:{region:null}}),t.tag!==null&&n.push({text:`tag ${t.tag}`,without:{tag:null}}),t.thread!==null&&n.push({text:`thread ${t.thread}`,without:{thread:null}}),t.iteration!==null&&n.push({text:`iteration ${j(t.iteration)}`,without:{iteration:null}});let a=(e,t,n)=>e!==null&&e===t?n(e):[e===null?``:`from ${n(e)}`,t===null?``:`to ${n(t)}`].filter(Boolean).join(` `);return(t.bytes_min!==null||t.bytes_max!==null)&&n.push({text:a(t.bytes_min,t.bytes_max,A),without:{bytes_min:null,bytes_max:null}}),(t.duration_min!==null||t.duration_max!==null)&&n.push({text:`duration ${a(t.duration_min,t.duration_max,k)}`,without:{duration_min:null,duration_max:null}}),n}var Bg=class extends C{static{this.styles=[L,l`
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
    `]}constructor(){super(),new G(this)}render(){let{app:e}=this,{filter:t,hidden:n}=e.store.state,r=zg(e,t);return!r.length&&!n.length?S:x`${r.map(t=>x`<span class="chip" title=${t.text}
        ><span>${t.text}</span
        ><button aria-label="Remove the filter: ${t.text}" @click=${()=>e.store.set({filter:{...e.store.state.filter,...t.without}})}>✕</button></span
      >`)}
    ${n.length?x`<span class="chip"
          ><span>${n.length} hidden</span><button aria-label="Show all hidden functions" @click=${()=>e.store.set({hidden:[]})}>✕</button></span
        >`:S}
    ${r.length>1?x`<button @click=${()=>e.store.set({filter:ul,hidden:[]})}>Remove all filters</button>`:S}`}};U([E({attribute:!1})],Bg.prototype,`app`,void 0),Bg=U([T(`mp-filters`)],Bg),w(),O(),Ja(),fs(),So(),F(),Mi(),ml(),K(),R(),ti(),W();var Vg={messages:`Messages`,rma:`RMA`,collectives:`Collectives`,waits:`Waits`,path:`Critical path`,regions:`Regions`},Hg=40,Ug=class extends C{static{this.styles=[L,l`
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
        max-width: 200px;
        text-overflow: ellipsis;
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
      /* In a row of its own it stays on the right. */
      .window {
        display: inline-flex;
        gap: 6px;
        align-items: center;
        margin-left: auto;
        white-space: nowrap;
      }
      button.line {
        min-height: 24px;
      }
    `]}constructor(){super(),new G(this)}#e(e){let{order:t}=this.app.store.state;return J(t,`fold`)===null?Y(Y(e,`ranks`,J(t,`ranks`)),`pin`,J(t,`pin`)):Y(t,`sort`,J(e,`sort`))}render(){let{app:e}=this,t=e.store.state,n=J(t.order,`fold`)!==null,r=Y(Y(t.order,`ranks`,null),`pin`,null),i=n?Y(r,`group`,null):r,a=J(t.order,`group`),o=Ma(e.run),s=Aa(e.run).map(e=>({order:`group:${e.group}`,title:`By ${e.title}`})),c=[...os,...s].some(e=>e.order===i),{from:l,until:u}=e.window,d=e.run?.regions.slice(0,Hg)??[],f=ll.filter(t=>(t!==`regions`||e.run?.regions.length)&&(t!==`rma`||af(e.run)));return x`<div class="bar" role="toolbar" aria-label="Timeline">
      <label
        >ranks
        <select
          aria-label="Order of ranks"
          @change=${t=>e.store.set({order:this.#e(t.target.value),row_from:null,row_until:null})}
        >
          ${[...os,...s].filter(t=>(!n||!t.order.includes(`group`))&&(!t.order.includes(`host`)||(e.run?.hosts.length??0)>1||t.order===i)).map(e=>x`<option value=${e.order} ?selected=${e.order===i}>${e.title}</option>`)}
          ${(e.run?.communicators??[]).filter(e=>e.size>1&&!n).slice(0,30).map(e=>x`<option value="group:comm:${e.id}" ?selected=${`group:comm:${e.id}`===i}>Members of ${e.name} first</option>`)}
          ${d.map(e=>x`<option value="sort:region:${e.id}" ?selected=${`sort:region:${e.id}`===i}>By time in ${e.name}</option>`)}
          ${c||i.startsWith(`group:comm`)||d.some(e=>`sort:region:${e.id}`===i)?S:x`<option value=${i} selected>${i}</option>`}
        </select></label
      >
      ${o.length||a!==null?x`<label
              >fold by
              <select aria-label="Fold by" @change=${t=>Pa(e,t.target.value||null)}>
                <option value="" ?selected=${a===null}>none</option>
                ${o.map(t=>{let n=e.client.kept?.groupings.includes(t.group)===!1;return x`<option value=${t.group} ?selected=${t.group===a} ?disabled=${n}>${t.title}${n?` (not in this exported page)`:``}</option>`})}
                ${a===null||o.some(e=>e.group===a)?S:x`<option value=${a} selected>${a}</option>`}
              </select></label
            >${a===null?S:x`<button class="line" @click=${()=>Ia(e,!Ua(e))}>${Ua(e)?`Unfold all`:`Fold all`}</button>`}`:S}
      <span class="set" role="group" aria-label="Layers drawn over the timeline">
        ${f.map(n=>{let r=ds.find(e=>e.id===`layer-${n}`);return x`<button aria-pressed=${t.layers.includes(n)} title="${rs(n)} (${r.keys.map(Dm).join(`, `)})" @click=${()=>r.run(e)}>
            ${Vg[n]}
          </button>`})}
      </span>
      <button class="line" aria-pressed=${t.twins.includes(`timeline`)} @click=${()=>es(e,`timeline`)}>As a table</button>
      <mp-save .app=${e} view="timeline" what="Timeline"></mp-save>
      ${J(t.order,`ranks`)===null?S:x`<button class="line" @click=${()=>ds.find(e=>e.id===`all-ranks`).run(e)}>Show all ranks</button>`}
      <mp-filters .app=${e}></mp-filters>
      <span class="window">
        <span class="muted number">${P(l,(u-l)/100)} + ${k(u-l)}</span>
        ${mo(e)?x`<button
              class="line"
              title="All ranks from the end of MPI_Init to MPI_Finalize (9)"
              ?disabled=${t.from===null&&!t.isWhole&&t.row_from===null}
              @click=${()=>e.setWindow(e.main,!1)}
            >
              Main part
            </button>`:S}
        <button
          class="line"
          title="All ranks, with MPI_Init and MPI_Finalize (0)"
          ?disabled=${t.from===null&&(t.isWhole||!mo(e))&&t.row_from===null}
          @click=${()=>e.setWindow(e.whole,!1)}
        >
          Whole run
        </button>
      </span>
    </div>`}};U([E({attribute:!1})],Ug.prototype,`app`,void 0),Ug=U([T(`mp-toolbar`)],Ug),w(),O(),ys(),cl(),Gi(),K(),R(),W();for(let{load:e}of tl)e();var Wg=`mpiscope.split`,Gg=.2,Kg=.85;function qg(e){let t=e.parentElement,[n,r]=[e.offsetLeft-t.offsetLeft,e.offsetLeft-t.offsetLeft+e.offsetWidth];n<t.scrollLeft?t.scrollLeft=n:r>t.scrollLeft+t.clientWidth&&(t.scrollLeft=r-t.clientWidth)}var Jg=class extends C{static{this.styles=[L,Eu,l`
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
      .pane .tabs {
        padding-left: 0;
      }
      /* One row; where it is too narrow for all tabs, they scroll, and a shadow shows on which side there are more. */
      .pane .tabs [role="tablist"] {
        display: flex;
        min-width: 0;
        overflow-x: auto;
        scrollbar-width: none;
        background:
          linear-gradient(to right, var(--raised) 40%, transparent) left / 28px 100% no-repeat local,
          linear-gradient(to left, var(--raised) 40%, transparent) right / 28px 100% no-repeat local,
          linear-gradient(to right, color-mix(in srgb, var(--text) 22%, transparent), transparent) left / 9px 100% no-repeat,
          linear-gradient(to left, color-mix(in srgb, var(--text) 22%, transparent), transparent) right / 9px 100% no-repeat;
      }
      .pane .tabs [role="tab"] {
        flex: none;
        padding: 2px 5px;
        font-size: 12px;
      }
      .pane .tabs [role="tab"]:focus-visible {
        outline-offset: -2px;
      }
      .pane .tabs > :not([role="tablist"]) {
        flex-shrink: 0;
        white-space: nowrap;
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
    `]}#e;#t;constructor(){super(),this.split=Number(_s(Wg))||.55,this.tab=`call`,this.#e=``,this.#t=``,new G(this,()=>this.#n())}#n(){let{area:e,selection:t}=this.app.store.state,n=JSON.stringify(e),r=JSON.stringify(t);n!==this.#e&&e?this.tab=`area`:r!==this.#t&&t&&(this.tab=`call`),this.#e=n,this.#t=r}#r(e){this.split=Math.max(Gg,Math.min(Kg,e)),vs(Wg,String(this.split))}#i(e){if(!e.buttons)return;let t=this.renderRoot.querySelector(`.main`).getBoundingClientRect();this.#r((e.clientY-t.top)/t.height)}#a(e){if(e.key===`ArrowUp`)this.#r(this.split-.04);else if(e.key===`ArrowDown`)this.#r(this.split+.04);else return;e.preventDefault()}updated(){for(let e of this.renderRoot.querySelectorAll(`.pane [role="tab"][aria-selected="true"]`))qg(e);this.renderRoot.querySelector(`.main`)?.style.setProperty(`--split`,`${(this.split*100).toFixed(1)}%`)}render(){let{app:e}=this;return x`<mp-toolbar .app=${e}></mp-toolbar>
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
            aria-valuemin=${Gg*100}
            aria-valuemax=${Kg*100}
            @pointerdown=${e=>e.currentTarget.setPointerCapture(e.pointerId)}
            @pointermove=${e=>this.#i(e)}
            @keydown=${e=>this.#a(e)}
          ></div>
          <div class="panes ${e.comparison.isTwo&&e.store.state.left===`differences`?`compared`:``}">${this.#c(`left`)} ${this.#c(`right`)}</div>
        </div>
        <aside class="side" aria-label="Legend and selection">
          <section class="box" aria-label="Legend">
            <div class="tabs"><h2 class="title">Legend ${wu(e)}</h2></div>
            <div class="content">${St(e.side,x`<mp-legend .app=${e}></mp-legend>`)}</div>
          </section>
          <section class="box" aria-label="Selection">
            ${this.#s(`Selection`,[[`call`,`Selected call`],[`area`,`Selected area`]],this.tab,e=>this.tab=e,wu(e))}
            <div class="content" role="tabpanel" aria-label=${this.tab===`call`?`Selected call`:`Selected area`}>
              ${St(e.side,this.tab===`call`?x`<mp-inspector .app=${e}></mp-inspector>`:x`<mp-area .app=${e}></mp-area>`)}
            </div>
          </section>
        </aside>
      </div>`}#o(){let{app:e}=this,{comparison:t}=e;return t.isTwo?x`<div class="timelines">
      ${t.apps.map(e=>{let n=Cm(e);return x`<section class="run" aria-label="${Wi[e.side]}: ${e.run?.name??``}">
          <button aria-pressed=${e.side===t.about} title="Show this run in the panes (J)" @click=${()=>t.show(e.side)}>${Tu(e)}</button>
          ${n?x`<div class="error" role="alert"><b>This run cannot be shown.</b> ${n}</div>`:x`<mp-timeline .app=${e}></mp-timeline>`}
        </section>`})}
    </div>`:x`<mp-timeline .app=${e}></mp-timeline>`}#s(e,t,n,r,i=``){return x`<div class="tabs">
      <div role="tablist" aria-label=${e} @keydown=${e=>{let i=e.key===`ArrowRight`?1:e.key===`ArrowLeft`?-1:0;if(!i)return;e.preventDefault();let a=(t.findIndex(([e])=>e===n)+i+t.length)%t.length;r(t[a][0]),e.currentTarget.querySelectorAll(`[role="tab"]`)[a]?.focus()}}>
        ${t.map(([e,t,i=t])=>x`<button role="tab" aria-label=${i} title=${i===t?S:i} aria-selected=${e===n} tabindex=${e===n?0:-1} @click=${()=>r(e)}>
              ${t}
            </button>`)}
      </div>
      ${i}
    </div>`}#c(e){let{app:t}=this,n=rl(t.store.state[e]),{isTwo:r}=t.comparison,i=n.ofBoth?S:wu(t),a=e===`left`?x`<span class="space"></span>${i}
            ${t.store.state.area?x`<span class="muted">selected area</span>`:x`<select aria-label="Time range of the panes" @change=${e=>t.store.set({scope:e.target.value})}>
                  <option value="window" ?selected=${t.store.state.scope===`window`}>visible time</option>
                  <option value="run" ?selected=${t.store.state.scope===`run`}>whole run</option>
                </select>`}`:x`<span class="space"></span>${i}`;return x`<section class="pane ${e}" aria-label="${e===`left`?`Left`:`Right`} pane">
      ${this.#s(`${e===`left`?`Left`:`Right`} pane`,tl.filter(e=>!sl(e,r)||e.id===n.id).map(e=>[e.id,e.tab??e.title,e.title]),n.id,n=>t.store.set({[e]:n}),a)}
      <div class="content" role="tabpanel" aria-label=${n.title}>${sl(n,r)?x`<p class="note">${n.ofBoth}</p>`:St(t.side,this.#l(n))}</div>
    </section>`}#l({element:e}){let t=Og(e);return Ag`<${t} .app=${this.app}></${t}>`}};U([E({attribute:!1})],Jg.prototype,`app`,void 0),U([D()],Jg.prototype,`split`,void 0),U([D()],Jg.prototype,`tab`,void 0),Jg=U([T(`mp-views`)],Jg),w(),O(),fs(),F(),ws(),fa(),K(),R(),W();var Yg=60,Xg=e=>e.length>Yg?`${e.slice(0,Yg)}…`:e,Zg=class extends C{static{this.styles=[L,Eu,l`
      :host {
        display: grid;
        grid-template-rows: 44px auto auto auto auto auto minmax(0, 1fr) 22px;
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
      .predicted {
        padding: 5px 12px;
        background: var(--accent-soft);
        border-bottom: 1px solid var(--line);
      }
      .predicted p {
        margin: 0;
        overflow-wrap: anywhere;
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
      .unread {
        display: flex;
        gap: 10px;
        align-items: center;
        padding: 4px 12px;
        background: var(--panel);
        border-bottom: 2px solid var(--bad);
      }
      .unread span {
        flex: 1;
        overflow-wrap: anywhere;
      }
      header button {
        white-space: nowrap;
        flex: none;
      }
      @media (max-width: 1100px) {
        header kbd {
          display: none;
        }
      }
    `]}constructor(){super(),this.isStarted=!1;let e=cg(document),t=new pg(ug);if(this.comparison=new ch(e,t),e instanceof tg&&!window.location.hash)e.view().then(e=>e&&!window.location.hash&&t.correct(oa(e)),()=>{});else if(!window.location.hash){let e=xs();ra({...t.state,...e})!==ra(t.state)&&t.correct(e)}new G(this)}get app(){return this.comparison.app}connectedCallback(){if(super.connectedCallback(),this.isStarted)return;this.isStarted=!0,this.replaceChildren();let e=()=>this.comparison.store.restore();window.addEventListener(`popstate`,e),window.addEventListener(`hashchange`,e),Nm(()=>this.app,ds),this.comparison.start()}render(){let{app:e}=this,{run:t}=e,{page:n}=e.store.state;return x`<header>
        <button class="skip" @click=${()=>this.renderRoot.querySelector(`main`)?.focus()}>Skip to the content</button>
        <h1 title=${t?.command.join(` `)??``}>${this.#e()}</h1>
        <nav aria-label="Pages">
          <button aria-current=${n===`overview`?`page`:S} @click=${()=>e.store.set({page:`overview`})}>Overview</button>
          ${this.comparison.isTwo?x`<button aria-current=${n===`compare`?`page`:S} @click=${()=>e.store.set({page:`compare`})}>Compare</button>`:S}
          <button aria-current=${n===`views`?`page`:S} @click=${()=>e.store.set({page:`views`})}>Timeline</button>
        </nav>
        <span class="facts number">${t?this.#t():`opening the run …`}</span>
        ${e.launch?x`<a class="launch" href=${e.launch}>Launch</a>`:S}
        <button class="line" @click=${()=>e.open(`find`)}>Search <kbd aria-hidden="true">/</kbd></button>
        <button class="line" title="Saved views (Shift+B)" @click=${()=>e.open(`notes`)}>Bookmarks${e.notes.notes.length?x` <b>${e.notes.notes.length}</b>`:S}</button>
        <button class="line" @click=${()=>e.open(`palette`)}>Commands <kbd aria-hidden="true">Ctrl+Shift+P</kbd></button>
        <button class="line" aria-label="Keyboard and mouse" title="Keyboard and mouse (?)" @click=${()=>e.open(`help`)}>?</button>
        <button class="line" @click=${()=>e.setTheme(e.theme===`dark`?`light`:`dark`)}>${e.theme===`dark`?`Light`:`Dark`}</button>
      </header>
      ${this.#n()} ${this.#r()} ${this.#i()}
      ${this.comparison.isTwo&&n!==`compare`?x`<mp-runs-bar .app=${e}></mp-runs-bar>`:x`<div></div>`}
      ${e.dialog===`find`?x`<mp-find .app=${e}></mp-find>`:x`<div></div>`}
      <main id="main" tabindex="-1">${this.#a()}</main>
      <footer>
        <span role="status" aria-live="polite">${e.message}</span>
        <span>${e.client.isExported?`exported by mpiscope: contains only part of the run`:`mpiscope`}</span>
      </footer>
      ${e.dialog===`palette`?x`<mp-palette .app=${e}></mp-palette>`:S} ${e.dialog===`help`?x`<mp-help .app=${e}></mp-help>`:S}
      ${e.dialog===`notes`?x`<mp-notes .app=${e}></mp-notes>`:S}`}#e(){let{apps:e,isTwo:t}=this.comparison;return t?x`${e.map((e,t)=>x`${t?` → `:``}${Tu(e)}`)}`:this.app.run?.name??`mpiscope`}#t(){let e=this.app.run;return this.comparison.isTwo&&this.comparison.store.state.page===`compare`?this.comparison.apps.map(e=>e.run?k(xu(e)):`–`).join(` → `):[e.mpi?.split(`,`)[0],M(e.ranks.count,`rank`),e.hosts.length>1?M(e.hosts.length,`host`):null,e.calls||!e.files?M(e.calls,`call`,`calls`,Ht):null,k(xu(this.app))].filter(Boolean).join(` · `)}#n(){let{store:e}=this.comparison,t=e.unread;return t.length?x`<div class="unread" role="alert">
      <span>The address of this page has ${t.length===1?`an invalid part, which is`:`invalid parts, which are`} ignored: <b class="mono">${t.map(Xg).join(`, `)}</b></span>
      <button class="line" @click=${()=>e.correct({})}>Close</button>
    </div>`:x`<div></div>`}#r(){let{apps:e,isTwo:t}=this.comparison,n=e.filter(e=>e.run?.predicted);return n.length?x`<div class="predicted" role="region" aria-label="Predicted">
      ${n.map(e=>x`<p>${t?x`${Tu(e)} `:S}${e.run.predicted}</p>`)}
    </div>`:x`<div></div>`}#i(){let{apps:e,isTwo:t}=this.comparison,n=e.filter(e=>e.run?.files&&e.run.state!==`failed`),r=e.filter(e=>e.run?.state===`building`&&!e.run.files),i=e.filter(e=>e.run?.state===`ready`&&e.run.is_writing);return!n.length&&!r.length&&!i.length?x`<div></div>`:x`<div class="building" role="region" aria-label="Progress">
      ${n.map(({run:e})=>{let{read:n,of:r}=e.files;return x`<progress max=${r} .value=${n} aria-label="Rank files of ${e.name} that have been read"></progress>
          <span
            >Reading ${M(r,`rank file`)}${t?` of ${e.name}`:``}: ${Ut(n/Math.max(1,r))}.
            ${e.state===`ready`?`Timeline, tables and plots are available; the report follows.`:`The views open after that.`}</span
          >`})}
      ${r.map(({run:e})=>x`<progress max="1" .value=${e.done} aria-label="Part of ${e.name} that has been loaded"></progress>
          <span>Loading ${t?e.name:`the run`}: ${Ut(e.done)}. You can already view the part that is loaded.</span>`)}
      ${i.map(({run:e})=>x`<span
          >${t?`The program of ${e.name}`:`The program`} is still running. The view is updated every few seconds and when the
          program has ended.</span
        >`)}
    </div>`}#a(){let{app:e}=this,{run:t}=e,{page:n}=e.store.state;return n===`compare`?x`<mp-compare .app=${e}></mp-compare>`:n===`views`&&this.comparison.isTwo&&this.comparison.apps.every(e=>e.run)?this.#o():e.error?this.#s(`This run cannot be shown`,e.error.message,e.error.next):t?t.state===`failed`?this.#s(`This run cannot be shown`,t.failure?.what??`Reading the run failed`,t.failure?.next??`See the messages of mpiscope in its terminal.`):n===`overview`?x`${St(e.side,x`<mp-overview .app=${e}></mp-overview>`)}`:this.#o():x`<p class="note" role="status">Opening the run …</p>`}#o(){let{run:e}=this.app;return e.state===`ready`&&e.calls===0&&!e.files&&!this.comparison.isTwo?this.#s(`No MPI call was recorded`,`mpiscope recorded no MPI call of this program. It may have ended before MPI_Init, or its MPI library is statically linked.`,`Run mpiscope doctor PROGRAM to see what would be recorded.`):x`<mp-views .app=${this.app}></mp-views>`}#s(e,t,n){return x`<section class="state" role="alert">
      <h2>${e}</h2>
      <p>${t}</p>
      <p class="muted">${n}</p>
    </section>`}};U([D()],Zg.prototype,`isStarted`,void 0),Zg=U([T(`mp-app`)],Zg);var Qg=[`times`,`pairs`,`steps`,`staircase`,`bandwidth`,`latency`,`roofline`,`parameters`],$g={group:``,y:`time`,isLogX:!0,isLogY:!0,shown:{},of:`time`,size:null,twins:[]},e_=e=>Qg.includes(e),t_=`-`;function n_(e){let t=[],n=(e,n,r)=>void(n!==r&&t.push([e,n]));n(`curves`,e.group,$g.group),n(`y`,e.y,$g.y),n(`log`,`${e.isLogX?`x`:``}${e.isLogY?`y`:``}`||t_,`xy`),n(`of`,e.of,$g.of),n(`size`,e.size===null?``:String(e.size),``),n(`twins`,e.twins.join(`,`),``);for(let[n,r]of Object.entries(e.shown))t.push([`shown.${n}`,r.map(encodeURIComponent).join(`,`)||t_]);return t.map(([e,t])=>`${e}=${encodeURIComponent(t).replace(/%2C/g,`,`)}`).join(`&`)}function r_(e){try{return decodeURIComponent(e)}catch{return null}}function i_(e){let t={...$g,shown:{}},n=[];for(let r of e.replace(/^#/,``).split(`&`).filter(Boolean)){let e=r.indexOf(`=`),i=r_(r.slice(e+1));(e<0||i===null||!a_(t,r.slice(0,e),i))&&n.push(r)}return{state:t,unread:n}}function a_(e,t,n){let r=t.startsWith(`shown.`)?t.slice(6):null;if(r!==null){let t=n===t_?[]:n.split(`,`).map(r_);return!e_(r)||!t.every(e=>e!==null)?!1:(e.shown={...e.shown,[r]:t},!0)}switch(t){case`curves`:return e.group=n,!0;case`y`:case`of`:return n!==`time`&&n!==`rate`?!1:(e[t]=n,!0);case`log`:return[t_,`x`,`y`,`xy`].includes(n)?(e.isLogX=n.includes(`x`),e.isLogY=n.includes(`y`),!0):!1;case`size`:return/^\d+$/.test(n)?(e.size=Number(n),!0):!1;case`twins`:{let t=n.split(`,`);return t.every(e_)?(e.twins=t,!0):!1}default:return!1}}Et();var o_=class extends EventTarget{constructor(){super(),this.desk=new Zm,this.savers=new Set,this.machines=[],this.error=null,this.isExported=!1,{state:this.state,unread:this.unread}=i_(window.location.hash),this.desk.addEventListener(`change`,()=>this.#e()),window.addEventListener(`hashchange`,()=>{({state:this.state,unread:this.unread}=i_(window.location.hash)),this.#e()})}#e(){this.dispatchEvent(new Event(`change`))}async load(e){let t=e.getElementById(`mpiscope-pack`)?.textContent;this.isExported=!!t;try{let n=t?(await Dh(t)).json(`machines`):await(await new ag(new URL(`./api/`,e.baseURI).pathname).ask(`machines`,{})).json();this.machines=n.machines}catch(e){this.error=wt(e)}this.#e()}set(e){this.state={...this.state,...e},this.unread=[];let t=n_(this.state);t!==window.location.hash.replace(/^#/,``)&&window.history.pushState(null,``,`#${t}`),this.#e()}show(e,t){this.set({shown:{...this.state.shown,[e]:t}})}toggleTwin(e){let{twins:t}=this.state;this.set({twins:t.includes(e)?t.filter(t=>t!==e):[...t,e]})}get theme(){return this.desk.theme}get savedName(){return this.machines.map(e=>e.name).join(`-`)||void 0}caption(e){return[...this.machines.map(({name:e,profile:t})=>`${e} (${t.hosts[0]?.processor??`unknown processor`}, ${t.mpi.version.split(`,`)[0]})`),e].join(` · `)}say(e){this.desk.set({message:e})}fail(e){let t=wt(e);this.say(`${t.message}. ${t.next}`)}},s_=class{#e;#t=()=>this.#e.requestUpdate();constructor(e){this.#e=e,e.addController(this)}hostConnected(){this.#e.app.addEventListener(`change`,this.#t)}hostDisconnected(){this.#e.app.removeEventListener(`change`,this.#t)}};F();var c_={"same-l2":`same L2`,"same-l3":`same L3`,"same-numa":`same NUMA node`,"same-package":`same package`,"same-node":`same host`,"same-node-not-bound":`same host, not bound`,"other-node":`different hosts`},l_=e=>c_[e]??e,u_=([e,t])=>`ranks ${e} and ${t}`;function d_(e,{pair:t,rank:n}){if(n!==null)return Yt([n]);let r=t===null?null:e.pairs[t];return r?`${u_(r.ranks)} (${l_(r.class)})`:`all ranks`}function f_(e,{pair:t,rank:n}){return n===null?t===null?``:e.pairs[t]?.class??``:`rank ${n}`}function p_(e){return[e.reached?``:`interval wider than wanted`,e.drift_share===null?``:`drift`,e.second_mode_ns===null?``:`second mode`].filter(Boolean).join(`, `)}F();function m_(e,t){switch(t){case`ns`:return k(e);case`ns/B`:return Math.abs(e)<1?`${Lt(e*1e3)} ps/B`:`${Lt(e)} ns/B`;case`B/s`:return Bt(e);case`flop/s`:return g_(e);case`B`:return A(e);case`messages`:return M(e,`message`);case`1`:return N(e);case`x`:return`${Lt(e)} ×`;default:return`${Lt(e)} ${t}`}}var h_=(e,t)=>t===`B`?A(e):`${j(e)} ${e===1?t.replace(/s$/,``):t}`,g_=e=>`${Rt(e,1e3,[``,`k`,`M`,`G`,`T`,`P`])}flop/s`;function __(e){let t=new Date(e*1e3);return Number.isNaN(t.getTime())?`–`:`${t.toISOString().slice(0,16).replace(`T`,` `)} UTC`}F();var v_=8,y_=({experiment:e,axis:t})=>`${e}:${t.name}`;function b_(e){let t=new Map,n=e.flatMap(e=>e.profile.curves),r=e=>new Set(n.filter(t=>t.experiment===e).map(y_)).size>1;for(let e of n){let n=y_(e),i=r(e.experiment)?`${e.experiment}: ${e.axis.name}`:e.experiment,a=t.get(n)??{id:n,title:i,axis:e.axis,hasRates:!1};a.hasRates||=S_(e),t.set(n,a)}return[...t.values()]}var x_=[`send-overhead`,`expected-receive`,`unexpected-receive`],S_=e=>e.moved>0&&!x_.includes(e.series)&&e.axis.unit===`B`&&e.points.some(e=>e.x>0);function C_(e,t,n=1){return t===`time`?e.points.map(e=>({x:e.x,y:e.median_ns,low:e.low_ns,high:e.high_ns,note:p_(e)})):S_(e)?e.points.filter(e=>e.x>0&&e.median_ns>0).map(t=>{let r=r=>r===null||r<=0?null:t.x*e.moved*n/r*1e9;return{x:t.x,y:r(t.median_ns),low:r(t.high_ns),high:r(t.low_ns),note:p_(t)}}):[]}function w_({name:e,unit:t},n){let r=t===`B`;return{title:e.charAt(0).toUpperCase()+e.slice(1),isLog:n,isBinary:r||t===`bits`,text:e=>r?A(e<1?0:e):h_(Math.round(e),t),unit:r?`bytes`:t}}var T_=e=>({title:`Time of one operation`,isLog:e,isBinary:!1,text:k,unit:`ns`}),E_=e=>({title:`Bandwidth`,isLog:e,isBinary:!0,text:Bt,unit:`bytes/s`}),D_=({skew_ns:e=0})=>e>0?`ranks begin spread over ${k(e)}`:``,O_=(e,t)=>[t.series,f_(e,t),D_(t)].filter(Boolean).join(`|`);function k_(e,t,n,r,i){let a=[n.series,i?d_(t,n):``,D_(n)].filter(Boolean).join(`, `);return{key:O_(t,n),name:a,machine:e,points:r,hasSigns:!0}}function A_(e,t,n){let r=e.flatMap(({profile:e})=>e.curves.filter(t).map(t=>f_(e,t))),i=new Set(r).size>1,a=e=>Number(x_.includes(e.series));return e.flatMap(({profile:e},r)=>e.curves.filter(t).sort((e,t)=>a(e)-a(t)).map(t=>k_(r,e,t,n(t,e),i))).filter(e=>e.points.length>0)}var j_=(e,t=()=>!0)=>{let n=[...new Set(e.filter(t).map(e=>e.key))];return(n.length?n:[...new Set(e.map(e=>e.key))]).slice(0,v_)};function M_(e,t,n,r,i){let a=A_(e,e=>y_(e)===t.id,e=>C_(e,n)),o=t.id===`pingpong:message size`?N_(e):[];return{x:w_(t.axis,r),y:n===`rate`?E_(i):T_(i),lines:a,marks:o,first:j_(a)}}function N_(e){return e.flatMap(({name:t,profile:n})=>n.parameters.filter(e=>e.id===`protocol_change`).map(({value:r,low:i,high:a,pair:o})=>{let s=[e.length>1?t:``,n.pairs.length>1?d_(n,{pair:o,rank:null}):``].filter(Boolean).join(`, `);return{from:i??r,until:a??r,text:`change above ${A(r)}${s?` (${s})`:``}`}}))}var P_=/_(L\d|memory)(_huge)?(_all)?$/;function F_(e,t){return e.flatMap(({name:n,profile:r})=>r.parameters.filter(e=>e.experiment===`memory`&&e.id.startsWith(t)&&!/_huge|_all/.test(e.id)&&P_.test(e.id)&&e.from_bytes!==null).map(t=>({from:t.from_bytes,until:t.to_bytes??t.from_bytes,text:`${P_.exec(t.id)[1]}${e.length>1?` (${n})`:``}`})))}var I_=e=>!/-huge\b/.test(e.key);function L_(e){let t=A_(e,e=>e.experiment===`memory`&&e.moved>0,(e,t)=>C_(e,`rate`,e.rank===null?t.mpi.ranks:1)),n=j_(t,e=>I_(e)&&e.key.includes(`|rank`));return{x:w_({name:`working set`,unit:`B`},!0),y:E_(!0),lines:t,marks:F_(e,`read_`),first:n}}function R_(e){let t=A_(e,e=>e.experiment===`memory`&&e.moved===0,e=>C_(e,`time`));return{x:w_({name:`working set`,unit:`B`},!0),y:{...T_(!0),title:`Time of one load`},lines:t,marks:F_(e,`latency_`),first:j_(t)}}Ti();var z_=`●■▲◆`,B_=({sign:e})=>z_[e],V_=({first:e,lines:t})=>[...new Set([...e,...t.map(e=>e.key)])];function H_(e){return new Map(V_(e).map((e,t)=>[e,{hue:t%8,sign:Math.floor(t/8)%4}]))}function U_(e,t){if(!t)return[...e.first];let n=V_(e).filter(e=>t.includes(e));return n.length||!t.length?n:[...e.first]}function W_(e,t){let n=e.filter(e=>e>0),r=n.reduce((e,t)=>Math.max(e,t),Number.MIN_VALUE);if(!t||!n.length)return{min:e.reduce((e,t)=>Math.min(e,t),0),max:n.length?r:1,isLog:!1,zero:0};let i=n.reduce((e,t)=>Math.min(e,t));return{min:e.some(e=>e<=0)?i/2:i,max:r,isLog:t,zero:i/2}}function G_({min:e,max:t,isLog:n,zero:r},i,a){if(!n)return{min:e,max:e+(t-e||Math.abs(t)||1)/(1-a),isLog:n,zero:r};let o=(Math.log(t)-Math.log(e)||Math.log(10))/(1-i-a),s=Math.log(e)-(t>e?i*o:Math.log(10)/2);return{min:Math.max(Math.exp(s),Number.MIN_VALUE),max:Math.min(Math.exp(s+o),Number.MAX_VALUE),isLog:n,zero:r}}var K_=(e,t)=>vi(e,e.isLog?Math.max(t,e.zero):t),q_=e=>[...new Set(e.flatMap(e=>e.points.map(e=>e.x)))].sort((e,t)=>e-t);function J_(e,t,n){let r=null;for(let i of e)(r===null||Math.abs(K_(t,i)-n)<Math.abs(K_(t,r)-n))&&(r=i);return r}function Y_(e){let t=[[]];for(let n of e)n.low!==null&&n.high!==null?t[t.length-1].push(n):t.push([]);return t.filter(e=>e.length>0)}function X_(e,t){let n=Array.from({length:t},()=>-1/0);return e.map(({from:e,width:t})=>{let r=n.findIndex(t=>t+6<=e);return r<0?null:(n[r]=e+t,r)})}fr(),Ai(),V();var Z_=13,Q_=3,$_=[6,4],ev=90,tv=({hue:e},t)=>I(Zn(ur[e],t));function nv(e,t,n,r){let{left:i,width:a,...o}=Ei(n,r),s={...o,left:ev,width:Math.max(1,a+i-ev)},c=t.flatMap(e=>e.points),l=e.marks.length?43/s.height:.04,u=c.flatMap(e=>[e.y,e.low??e.y,e.high??e.y]);return{box:s,x:G_(W_(q_(t),e.x.isLog),.015,.015),y:G_(W_(u,e.y.isLog),.04,Math.min(.4,l))}}var rv=({box:e,x:t},n)=>e.left+K_(t,n)*e.width,iv=({box:e,y:t},n)=>e.top+(1-K_(t,n))*e.height,av=(e,t)=>({scale:t,unit:e.isBinary?`bytes`:``,title:e.title,isMoment:!1,text:e.text});function ov(e,t,n,r,i){let{box:a}=r,o=H_(t);Oi(e,a,av(t.x,r.x),av(t.y,r.y),z[i]),e.save(),e.beginPath(),e.rect(a.left,a.top-1,a.width,a.height+2),e.clip(),sv(e,t,r,i);for(let t of n)cv(e,t,r,tv(o.get(t.key),i));for(let t of n)lv(e,t,r,o.get(t.key),i);e.restore()}function sv(e,t,n,r){let{box:i}=n,a=z[r];e.font=B,e.textAlign=`left`,e.textBaseline=`top`;let o=[...t.marks].sort((e,t)=>e.from-t.from),s=o.map(({from:t,until:r,text:a})=>{let o=e.measureText(a).width,s=(rv(n,t)+rv(n,r))/2;return{from:Math.max(i.left+3,Math.min(s-o/2,i.left+i.width-o-3)),width:o}}),c=X_(s,Q_);o.forEach(({from:t,until:r,text:o},l)=>{let u=rv(n,t);e.fillStyle=a.accent,e.globalAlpha=t===r?.6:.14,e.fillRect(u,i.top,Math.max(1,rv(n,r)-u),i.height),e.globalAlpha=1;let d=c[l];d!==null&&(e.fillStyle=a.panel,e.fillRect(s[l].from-2,i.top+2+d*Z_,s[l].width+4,Z_),e.fillStyle=a.text,e.fillText(o,s[l].from,i.top+3+d*Z_))})}function cv(e,{points:t},n,r){e.fillStyle=r,e.globalAlpha=.22;for(let r of Y_(t)){let[t]=r;if(r.length===1){let r=iv(n,t.high);e.fillRect(rv(n,t.x)-2,r,4,iv(n,t.low)-r)}else{e.beginPath();for(let{x:t,high:i}of r)e.lineTo(rv(n,t),iv(n,i));for(let{x:t,low:i}of[...r].reverse())e.lineTo(rv(n,t),iv(n,i));e.closePath(),e.fill()}}e.globalAlpha=1}function lv(e,t,n,r,i){let a=tv(r,i);e.strokeStyle=a,e.lineWidth=1.6,e.lineJoin=`round`,e.setLineDash(t.machine>0?$_:[]),e.beginPath();for(let{x:r,y:i}of t.points)e.lineTo(rv(n,r),iv(n,i));e.stroke(),e.setLineDash([]),e.fillStyle=a;for(let{x:i,y:a,isEnd:o}of t.points)(t.hasSigns||o)&&uv(e,r.sign,rv(n,i),iv(n,a),t.points.length>1?2.6:4)}function uv(e,t,n,r,i){if(e.beginPath(),t===0)e.arc(n,r,i,0,2*Math.PI);else if(t===1)e.rect(n-i,r-i,2*i,2*i);else{let a=1.3*i;e.moveTo(n,r-a),e.lineTo(n+a,t===2?r+a:r),t===3&&e.lineTo(n,r+a),e.lineTo(n-a,t===2?r+a:r),e.closePath()}e.fill()}w(),ms(),ti(),ui();var dv=[`png`,`svg`,`csv`],fv=class extends ps{static{this.styles=[...ps.styles,l`
      h2 {
        font-size: 13px;
        margin: 4px 10px 4px 4px;
      }
      .controls select {
        max-width: 220px;
      }
      p.about {
        margin: 0;
        padding: 4px 12px;
        color: var(--muted);
        font-size: 12px;
      }
      .body {
        flex: 1;
        min-height: 0;
        display: flex;
      }
      .body > * {
        flex: 1;
        min-width: 0;
      }
    `]}constructor(){super(),new s_(this)}controls(){return S}about(){return``}get isTwin(){return this.app.state.twins.includes(this.view)}render(){let e=this.about();return x`<div class="controls">
        <h2>${this.heading}</h2>
        ${this.controls()}
        <span class="space"></span>
        <button class="line" aria-label="${this.heading} as a table" aria-pressed=${this.isTwin} @click=${()=>this.app.toggleTwin(this.view)}>Table</button>
        <mp-save .app=${this.app} view=${this.view} .what=${this.heading} .formats=${dv}></mp-save>
      </div>
      ${e?x`<p class="about">${e}</p>`:S}
      <div class="body">${this.isTwin?this.#e():this.plot()}</div>`}#e(){let e=this.table();return x`<mp-vtable label="${this.heading} as a table" .columns=${e?.columns??[]} .count=${e?.count??0} .canActivate=${!1}></mp-vtable>`}};w(),O(),F(),ui(),V(),W();var pv=12,mv=class extends fv{constructor(...e){super(...e),this.over=null,this.#e=null,this.#t=[],this.#n=null}static{this.styles=[...fv.styles,l`
      .legend {
        flex: 0 0 224px;
        display: flex;
        flex-direction: column;
        min-height: 0;
        border-left: 1px solid var(--line);
        font-size: 12px;
      }
      .legend > div {
        display: flex;
        gap: 4px;
        align-items: center;
        padding: 2px 8px;
        border-bottom: 1px solid var(--line);
        color: var(--muted);
      }
      .legend > div button {
        min-height: 24px;
      }
      .legend > div span {
        flex: 1;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 4px 8px;
        overflow-y: auto;
        position: relative;
      }
      ul:focus-visible {
        outline-offset: -2px;
      }
      li label {
        display: flex;
        gap: 5px;
        align-items: center;
        min-height: 24px;
        overflow-wrap: anywhere;
      }
      li input {
        flex: none;
        margin: 0;
      }
      li svg {
        flex: none;
      }
      .tip {
        max-width: 520px;
      }
      canvas:focus-visible {
        outline: 2px solid var(--accent);
        outline-offset: -2px;
      }
      @media (max-width: 1200px) {
        .legend {
          flex-basis: 184px;
        }
      }
    `]}#e;#t;#n;willUpdate(){this.#e=this.figure();let e=new Set(this.#e?U_(this.#e,this.app.state.shown[this.view]):[]);this.#t=this.#e?.lines.filter(t=>e.has(t.key))??[];let{over:t}=this;t&&!q_(this.#t).includes(t.at)&&(this.over=null)}get hasPicture(){return this.#t.length>0}get#r(){return this.app.machines.length>1}draw(e,t,n){if(!this.#e)return;let r=nv(this.#e,this.#t,t,n);ov(e,this.#e,this.#t,r,this.app.theme)}drawOver(e){let t=this.renderRoot.querySelector(`canvas`);if(!this.#e||!t)return;this.#n=nv(this.#e,this.#t,t.clientWidth,t.clientHeight);let{over:n}=this;if(!n)return;let{box:r}=this.#n;e.fillStyle=z[this.app.theme].accent,e.fillRect(Math.round(rv(this.#n,n.at)),r.top,1,r.height);let i=H_(this.#e);for(let{line:t,point:r}of this.#i(n.at)){let n=i.get(t.key);e.fillStyle=tv(n,this.app.theme),uv(e,n.sign,rv(this.#n,r.x),iv(this.#n,r.y),4.5)}}#i(e){return this.#t.flatMap(t=>{let n=t.points.find(t=>t.x===e);return n?[{line:t,point:n}]:[]})}#a(e){return this.#r?`${e.name}, ${this.app.machines[e.machine].name}`:e.name}#o(e){let{text:t}=this.#e.y,n=e.low!==null&&e.high!==null?` (${t(e.low)} to ${t(e.high)})`:``;return`${t(e.y)}${n}${e.note?`, ${e.note}`:``}`}#s(e){let t=this.#n,n=e.currentTarget;if(!t)return;let r=n.getBoundingClientRect(),[i,a]=[e.clientX-r.left,e.clientY-r.top],o=J_(q_(this.#t),t.x,(i-t.box.left)/t.box.width);this.over=o===null?null:{at:o,x:i,y:a}}#c(e){let t=q_(this.#t),n=this.#n;if(!n||!t.length||e.ctrlKey||e.altKey||e.metaKey)return;let r=this.over?t.indexOf(this.over.at):-1,i={ArrowRight:r+1,ArrowLeft:r<0?t.length-1:r-1,Home:0,End:t.length-1}[e.key];if(e.key===`Escape`)this.over=null;else if(i===void 0)return;else{let e=t[Math.max(0,Math.min(t.length-1,i))];this.over={at:e,x:rv(n,e),y:n.box.top}}e.preventDefault()}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}keys(){let e=this.#e;if(!e)return[];let t=H_(e),n=[...new Map(this.#t.map(e=>[e.key,e.name]))].map(([e,n])=>{let r=t.get(e);return{colour:tv(r,this.app.theme),text:r.sign?`${B_(r)} ${n}`:n}}),[r,i]=this.app.machines;return i?[...n,{colour:z[this.app.theme].muted,text:`solid: ${r.name}, dashed: ${i.name}`}]:n}plot(){let e=this.#e;if(!e?.lines.length)return x`<p class="note">The profile has no such numbers.</p>`;let{over:t}=this,n=V_(e),r=t?this.#i(t.at):[],i=H_(e),a=(e,t)=>x`<br />${hv(i.get(e.key),e.hasSigns,e.machine>0,tv(i.get(e.key),this.app.theme))} ${this.#a(e)}: ${this.#o(t)}`;return x`<div class="plot">
        <canvas
          role="img"
          tabindex="0"
          aria-label="${this.heading}: ${M(this.#t.length,`line`)} by ${e.x.title.toLowerCase()}. The arrow keys read the numbers."
          @pointermove=${e=>this.#s(e)}
          @pointerleave=${()=>this.over=null}
          @keydown=${e=>this.#c(e)}
          @blur=${()=>this.over=null}
        ></canvas>
        ${this.#t.length?S:x`<p class="note">No series is selected.</p>`}
        ${t?x`<div class="tip" role="status"><b>${e.x.text(t.at)}</b>${r.slice(0,pv).map(({line:e,point:t})=>a(e,t))}${r.length>pv?x`<br />… and ${r.length-pv} more`:S}</div>`:S}
      </div>
      ${this.#l(e,n)}`}#l(e,t){let n=new Set(U_(e,this.app.state.shown[this.view])),r=H_(e),i=new Map(e.lines.map(e=>[e.key,e])),a=e=>this.app.show(this.view,t.filter(t=>t===e?!n.has(t):n.has(t)));return x`<section class="legend" aria-label="Series of ${this.heading}">
      <div>
        <span>${n.size} of ${t.length}</span>
        <button class="line" ?disabled=${n.size===t.length} @click=${()=>this.app.show(this.view,t)}>All</button>
        <button class="line" ?disabled=${!n.size} @click=${()=>this.app.show(this.view,[])}>None</button>
      </div>
      ${this.#r?x`<div><span>solid: ${this.app.machines[0].name}<br />dashed: ${this.app.machines[1].name}</span></div>`:S}
      <ul tabindex="0" aria-label="Shown series">
        ${t.map(e=>x`<li>
            <label
              ><input type="checkbox" .checked=${n.has(e)} @change=${()=>a(e)} />${hv(r.get(e),i.get(e).hasSigns,!1,tv(r.get(e),this.app.theme))}
              <span>${i.get(e).name.split(/(?<=\/)/).map(e=>x`${e}<wbr />`)}</span></label
            >
          </li>`)}
      </ul>
    </section>`}table(){let e=this.#e;if(!e)return null;let t=this.#t.flatMap(e=>e.points.map(t=>({line:e,point:t}))),{x:n,y:r}=e,i=(e,n,i)=>({id:e,title:n,isNumber:!0,width:`minmax(90px, 1fr)`,cell:e=>{let n=i(t[e].point);return n===null?``:r.text(n)},value:e=>i(t[e].point),unit:r.unit});return{columns:[{id:`series`,title:`Series`,width:`minmax(150px, 2fr)`,cell:e=>t[e].line.name},...this.#r?[{id:`profile`,title:`Profile`,cell:e=>this.app.machines[t[e].line.machine].name}]:[],q(`x`,n.title,e=>t[e].point.x,n.text,{unit:n.unit,width:`minmax(90px, 1fr)`}),q(`y`,r.title,e=>t[e].point.y,r.text,{unit:r.unit,width:`minmax(120px, 1fr)`}),i(`low`,`95 % from`,e=>e.low),i(`high`,`95 % to`,e=>e.high),{id:`note`,title:`Consider`,cell:e=>t[e].point.note}],count:t.length}}};U([D()],mv.prototype,`over`,void 0);function hv(e,t,n,r){let i=[Me`<circle cx="11" cy="6" r="3" fill=${r}></circle>`,Me`<rect x="8" y="3" width="6" height="6" fill=${r}></rect>`,Me`<path d="M11 2L15 10H7Z" fill=${r}></path>`,Me`<path d="M11 2L15 6L11 10L7 6Z" fill=${r}></path>`];return x`<svg width="22" height="12" viewBox="0 0 22 12" aria-hidden="true">
    <path d="M0 6H22" stroke=${r} stroke-width="1.6" stroke-dasharray=${n?`5 3`:S}></path>
    ${t?i[e.sign]:S}
  </svg>`}F();var gv=-6,_v=6,vv=/^peak_double(_all)?$/,yv=({id:e})=>e.endsWith(`_all`),bv=({profile:e})=>e.parameters.filter(e=>vv.test(e.id)),xv=e=>bv(e).length>0;function Sv(e){let t=bv(e);return e.profile.parameters.filter(e=>e.experiment===`memory`&&e.unit===`B/s`&&P_.test(e.id)&&e.value>0).map(e=>{let n=t.find(t=>yv(t)===yv(e));return{bandwidth:e,peak:n,ridge:n?n.value/e.value:1/0}})}var Cv=(e,t,n)=>({x:t,y:e.value*n,low:e.low&&e.low*n,high:e.high&&e.high*n,note:e.disturbed?`machine not quiet`:``});function wv(e,t,n,r,i){let a=(e,t,r)=>({key:e.id,name:`${t}${yv(e)?`, all ranks`:``}${i?``:`: ${m_(e.value,e.unit)}`}`,machine:n,points:r,hasSigns:!1}),o=e.map(({bandwidth:e,peak:t,ridge:n})=>{let[,i=``,o]=P_.exec(e.id),s=r.filter(e=>e<n).map(t=>Cv(e,t,t));return t&&s.push({...Cv(t,n,1),isEnd:!0}),a(e,`${i}, ${e.id.split(`_`)[0]}${o?`, huge pages`:``}`,s)}),s=t.map(t=>{let n=e.filter(e=>e.peak===t).map(({ridge:e})=>e),i=new Set([...n,...r.filter(e=>e>=Math.min(...n))]);return a(t,`peak, double precision`,[...i].sort((e,t)=>e-t).map(e=>Cv(t,e,1)))});return[...o,...s].filter(({points:e})=>e.length)}function Tv(e){let t=Math.max(_v,...e.filter(({peak:e})=>e).map(({ridge:e})=>1+Math.ceil(Math.log2(e))));return Array.from({length:t-gv+1},(e,t)=>2**(t+gv))}var Ev=e=>e<1&&Number.isInteger(1/e)?`1/${1/e}`:Kt(e);function Dv(e){let t=e.map(Sv),n=Tv(t.flat()),r=e.flatMap((r,i)=>wv(t[i],bv(r),i,n,e.length>1));return{x:{title:`Arithmetic intensity (flop per byte)`,isLog:!0,isBinary:!0,text:Ev,unit:`flop/byte`},y:{title:`Attainable rate`,isLog:!0,isBinary:!1,text:g_,unit:`flop/s`},lines:r,marks:[],first:j_(r,e=>/^(triad_(L\d|memory)|peak_double)$/.test(e.key))}}O(),W();var Ov=`Vertical lines: the working sets that represent the levels.`,kv=class extends mv{constructor(...e){super(...e),this.view=`bandwidth`,this.heading=`Memory: bandwidth by working set`}figure(){return L_(this.app.machines)}about(){return`${Ov} All ranks: together, each as fast as the slowest.`}};kv=U([T(`mp-machine-bandwidth`)],kv);var Av=class extends mv{constructor(...e){super(...e),this.view=`latency`,this.heading=`Memory: latency by working set`}figure(){return R_(this.app.machines)}about(){return`${Ov} Each load depends on the one before.`}};Av=U([T(`mp-machine-latency`)],Av);var jv=class extends mv{constructor(...e){super(...e),this.view=`roofline`,this.heading=`Roofline`}figure(){return Dv(this.app.machines)}about(){let{machines:e}=this.app,t=e.filter(e=>!xv(e)).map(({name:e})=>e),n=t.length<e.length?`Dots: from there on, the peak rate limits a loop. `:``;return t.length?`${n}Bandwidth roofs only: ${t.join(` and `)} has no peak rate (mpiscope bench arithmetic).`:n}};jv=U([T(`mp-machine-roofline`)],jv);var Mv=`ping-pong`,Nv=e=>e.flatMap(({name:e,profile:t})=>t.curves.flatMap(n=>{let r=n.experiment===`pingpong`&&n.series===Mv&&n.pair!==null?t.pairs[n.pair]:void 0;return r?[{name:e,pair:r,curve:n}]:[]})),Pv=e=>e.some(({profile:e})=>e.pairs.length>1)&&Nv(e).length>1;function Fv(e,t){let n=Nv(e).map(({curve:e})=>new Set(C_(e,t).map(e=>e.x)));return[...n[0]??[]].filter(e=>n.every(t=>t.has(e))).sort((e,t)=>e-t)}function Iv(e,t,n){return Nv(e).flatMap(({name:e,pair:r,curve:i})=>{let a=C_(i,t).find(e=>e.x===n);return a?[{machine:e,pair:r,value:a.y,low:a.low,high:a.high}]:[]})}w(),O(),F(),fr(),ui(),V(),W();var Lv=class extends fv{constructor(...e){super(...e),this.view=`pairs`,this.heading=`Pairs of ranks`,this.over=null,this.#e=[]}#e;get#t(){return Fv(this.app.machines,this.app.state.of)}get#n(){let e=this.#t,{size:t,of:n}=this.app.state;return t!==null&&e.includes(t)?t:(n===`time`?e[0]:e[e.length-1])??0}get#r(){return Iv(this.app.machines,this.app.state.of,this.#n)}get#i(){return this.app.state.of===`time`?k:Bt}get hasPicture(){return this.#r.length>0}#a(){let e=this.#r.map(e=>e.value);return{least:Math.min(...e),most:Math.max(...e)}}#o(e){let{least:t,most:n}=this.#a();return er(n>t?.1+.9*(e-t)/(n-t):.5,this.app.theme)}keys(){let{least:e,most:t}=this.#a();return[e,t].map(e=>({colour:I(this.#o(e)),text:this.#i(e)})).concat({colour:z[this.app.theme].absent,text:`not measured`})}draw(e,t,n){let{theme:r,machines:i}=this.app,a=z[r],o=this.#r,s=t/i.length;this.#e=[],i.forEach(({name:t},r)=>{let c=o.filter(e=>e.machine===t),l=[...new Set(c.flatMap(e=>e.pair.ranks))].sort((e,t)=>e-t),u=Math.max(4,Math.min((s-70)/l.length,(n-50)/l.length,96)),[d,f]=[r*s+56,38];e.font=B,e.fillStyle=a.text,e.textBaseline=`middle`,e.textAlign=`left`,e.fillText(i.length>1?`${t}: ranks`:`ranks`,d,10),l.forEach((t,n)=>{e.fillStyle=a.muted,e.textAlign=`center`,e.fillText(String(t),d+(n+.5)*u,f-10,u),e.textAlign=`right`,e.fillText(`rank ${t}`,d-6,f+(n+.5)*u,48),l.forEach((r,i)=>{let a=c.find(({pair:e})=>t!==r&&e.ranks.includes(t)&&e.ranks.includes(r))??null;this.#s(e,{left:d+i*u,top:f+n*u,size:u,found:a,ranks:[t,r]})})})})}#s(e,t){this.#e.push(t);let{left:n,top:r,size:i,found:a,ranks:o}=t;if(o[0]===o[1])return;let s=a?this.#o(a.value):null;e.fillStyle=s===null?z[this.app.theme].absent:I(s),e.fillRect(n+1,r+1,i-2,i-2),s===null||i<50||(e.fillStyle=$n(s),e.font=xr,e.textAlign=`center`,e.fillText(this.#i(a.value),n+i/2,r+i/2,i-6))}controls(){let{app:e}=this;return x`<label>of
        <select aria-label="Number of a pair" @change=${t=>e.set({of:t.target.value,size:null})}>
          <option value="time" ?selected=${e.state.of===`time`}>latency</option>
          <option value="rate" ?selected=${e.state.of===`rate`}>bandwidth</option>
        </select></label>
      <label>at
        <select aria-label="Message size" @change=${t=>e.set({size:Number(t.target.value)})}>
          ${this.#t.map(e=>x`<option value=${e} ?selected=${e===this.#n}>${A(e)}</option>`)}
        </select></label>`}about(){return`Half a round trip of a ping-pong. mpiscope bench measures one pair of each distance; grey pairs were not measured.`}#c(e){let t=e.currentTarget.getBoundingClientRect(),[n,r]=[e.clientX-t.left,e.clientY-t.top],i=this.#e.find(({left:e,top:t,size:i})=>n>=e&&n<e+i&&r>=t&&r<t+i);this.over=i&&i.ranks[0]!==i.ranks[1]?{cell:i,x:n,y:r}:null}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}plot(){let{over:e}=this,t=({low:e,high:t})=>e===null||t===null?``:` (${this.#i(e)} to ${this.#i(t)})`;return x`<div class="plot">
      <canvas role="img" aria-label="Heat map of pairs of ranks; its numbers are in the table" @pointermove=${e=>this.#c(e)} @pointerleave=${()=>this.over=null}></canvas>
      ${e?x`<div class="tip"><b>${u_([Math.min(...e.cell.ranks),Math.max(...e.cell.ranks)])}</b><br />${e.cell.found?x`${l_(e.cell.found.pair.class)}: ${this.#i(e.cell.found.value)}${t(e.cell.found)}`:`not measured`}</div>`:S}
    </div>`}table(){let e=this.#r,t=this.app.state.of===`time`,n=t?`ns`:`bytes/s`,r=(t,r)=>({id:t,title:r,isNumber:!0,cell:n=>e[n][t]===null?``:this.#i(e[n][t]),value:n=>e[n][t],unit:n});return{count:e.length,columns:[{id:`ranks`,title:`Ranks`,cell:t=>e[t].pair.ranks.join(`,`)},{id:`profile`,title:`Profile`,cell:t=>e[t].machine},{id:`class`,title:`Distance`,cell:t=>l_(e[t].pair.class)},q(`value`,t?`Latency`:`Bandwidth`,t=>e[t].value,this.#i,{unit:n}),r(`low`,`95 % from`),r(`high`,`95 % to`)]}}};U([D()],Lv.prototype,`over`,void 0),Lv=U([T(`mp-machine-pairs`)],Lv),F();function Rv({from_bytes:e,to_bytes:t}){return e===null||t===null?``:e===t?A(e):`${A(e)} to ${A(t)}`}function zv(e,t){let n=(t,n,r,i)=>({id:t,title:n,width:r,cell:t=>i(e[t])}),r=(t,n)=>({id:t,title:n,isNumber:!0,width:`104px`,cell:n=>{let{parameter:r}=e[n],i=r[t];return i===null?``:`${m_(i,r.unit)}${t===`value`&&r.disturbed?` *`:``}`},value:n=>e[n].parameter[t]});return[n(`id`,`Parameter`,`230px`,({parameter:e})=>e.id),...t?[n(`profile`,`Profile`,`150px`,({machine:e})=>e.name)]:[],n(`experiment`,`Experiment`,`96px`,({parameter:e})=>e.experiment),n(`ranks`,`Ranks`,`200px`,({machine:e,parameter:t})=>d_(e.profile,t)),n(`sizes`,`Sizes`,`150px`,({parameter:e})=>Rv(e)),r(`value`,`Value`),r(`low`,`95 % from`),r(`high`,`95 % to`),n(`text`,`What it is`,`minmax(640px, 1fr)`,({parameter:e})=>e.text),n(`advice`,`Advice`,`560px`,({parameter:e})=>e.advice??``)]}w(),O(),R(),ti(),Kr(),ui(),W();var Bv=class extends C{static{this.styles=[L,gr,l`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      h2 {
        font-size: 13px;
        margin: 4px 10px 4px 4px;
      }
      mp-vtable {
        flex: 1;
      }
    `]}constructor(){super(),this.view=`parameters`,new s_(this),new Gr(this,this)}get#e(){return this.app.machines.flatMap(e=>e.profile.parameters.map(t=>({machine:e,parameter:t})))}table(){let e=this.#e,t=zv(e,this.app.machines.length>1),n={id:`unit`,title:`Unit`,cell:t=>e[t].parameter.unit},r={id:`disturbed`,title:`Machine not quiet`,cell:t=>e[t].parameter.disturbed?`yes`:`no`};return{columns:[...t,n,r],count:e.length}}render(){let e=this.#e,t=e.some(({parameter:e})=>e.disturbed);return x`<div class="controls">
        <h2>Parameters</h2>
        <span class="muted">${t?`* the machine was not quiet`:``}</span>
        <span class="space"></span>
        <mp-save .app=${this.app} view=${this.view} .what=${`Parameters`} .formats=${[`csv`]}></mp-save>
      </div>
      <mp-vtable label="Parameters" .columns=${zv(e,this.app.machines.length>1)} .count=${e.length} .canActivate=${!1} empty="The profile has no parameters."></mp-vtable>`}};U([E({attribute:!1})],Bv.prototype,`app`,void 0),Bv=U([T(`mp-machine-parameters`)],Bv),F();var Vv=e=>e.flatMap(({name:t,profile:n})=>(n.staircases??[]).flatMap(({series:n,bytes:r,sends:i})=>{let a=Math.max(1,...i.map(e=>e.end_ns)),o=e.length>1?`${n}, ${t}`:n;return i.map((e,t)=>({head:t?``:`${o}, ${A(r)}: ${k(a)}`,method:o,name:`rank ${e.rank}`,send:e,nth:t-i.findIndex(({rank:t})=>t===e.rank),end:a}))}));w(),O(),F(),fr(),ui(),V(),W();var Hv=56,Uv=16,Wv=class extends fv{constructor(...e){super(...e),this.view=`staircase`,this.heading=`Sends of one mesh exchange`}get#e(){return Vv(this.app.machines)}get hasPicture(){return this.#e.length>0}about(){return`Each line is a send, in its rank's order. The scale of each method is its own.`}draw(e,t,n){let r=z[this.app.theme],i=this.#e,a=i.filter(({head:e})=>e).length,o=Math.max(1,n-a*Uv-4)/i.length,s=0;e.font=B,e.textBaseline=`middle`;for(let{head:n,name:a,send:c,nth:l,end:u}of i){n&&(e.fillStyle=r.text,e.fillText(n,8,s+Uv/2,t-8),s+=Uv);let i=(t-Hv-8)/u;e.fillStyle=r.muted,!l&&o>2&&e.fillText(a,8,s+o/2),e.fillStyle=I(Zn(ur[l%ur.length],this.app.theme)),e.fillRect(Hv+c.begin_ns*i,s,Math.max(1,(c.end_ns-c.begin_ns)*i),Math.max(.5,o-.5)),s+=o}}plot(){return x`<div class="plot"><canvas role="img" aria-label="${this.heading}; its numbers are in the table"></canvas></div>`}table(){let e=this.#e;return{count:e.length,columns:[{id:`method`,title:`Method`,cell:t=>e[t].method},q(`rank`,`Rank`,t=>e[t].send.rank,String),q(`to`,`To`,t=>e[t].send.to,String),q(`begin`,`Begin`,t=>e[t].send.begin_ns,k,{unit:`ns`}),q(`end`,`End`,t=>e[t].send.end_ns,k,{unit:`ns`})]}}};Wv=U([T(`mp-machine-staircase`)],Wv);var Gv={steps_blocking:`blocking`,steps_nonblocking:`non-blocking`,steps_phased:`phased`},Kv=`predicted_steps`;function qv(e){let t=Object.keys(Gv);return e.flatMap(({profile:e},t)=>e.parameters.filter(({experiment:e,id:t})=>e===`steps`&&t in Gv).map(e=>({machine:t,method:Gv[e.id],parameter:e}))).sort((e,n)=>(e.parameter.from_bytes??0)-(n.parameter.from_bytes??0)||t.indexOf(e.parameter.id)-t.indexOf(n.parameter.id)||e.machine-n.machine)}var Jv=e=>[...new Set(e.flatMap(({profile:e})=>e.parameters.filter(({experiment:e,id:t})=>e===`steps`&&t===Kv).map(({value:e})=>e)))];w(),O(),F(),fr(),ui(),V(),W();var Yv=150,Xv=60,Zv=class extends fv{constructor(...e){super(...e),this.view=`steps`,this.heading=`Steps of a mesh exchange`}get#e(){return qv(this.app.machines)}get hasPicture(){return this.#e.length>0}#t(e){return I(Zn(ur[e],this.app.theme))}about(){return`Time of the exchange, divided by that of one message. The line is what a model of blocking sends predicts.`}keys(){let{machines:e,theme:t}=this.app;return[...e.length>1?e.map(({name:e},t)=>({colour:this.#t(t),text:e})):[],{colour:z[t].accent,text:`predicted for blocking sends`}]}draw(e,t,n){let r=z[this.app.theme],i=this.#e,a=Jv(this.app.machines),o=Math.max(1,...a,...i.map(({parameter:e})=>e.high??e.value)),s=Math.max(1,t-Yv-Xv),c=e=>Yv+e/o*s,l=Math.min(34,(n-34)/i.length),u=24+l*i.length;e.textBaseline=`middle`,i.forEach(({machine:t,method:n,parameter:i},a)=>{let o=24+(a+.5)*l,{value:s,low:u,high:d,from_bytes:f}=i;if(e.fillStyle=this.#t(t),e.fillRect(Yv,o-l*.32,Math.max(1,c(s)-Yv),l*.64),e.font=xr,e.fillStyle=r.text,e.textAlign=`right`,e.fillText(`${n}, ${A(f??0)}`,142,o,138),e.textAlign=`left`,e.fillText(`${Lt(s)} ×`,c(d??s)+8,o,50),u!==null&&d!==null){e.strokeStyle=r.text,e.lineWidth=1,e.beginPath(),e.moveTo(c(u),o),e.lineTo(c(d),o);for(let t of[u,d])e.moveTo(c(t),o-4),e.lineTo(c(t),o+4);e.stroke()}}),e.strokeStyle=r.muted,e.lineWidth=1,e.beginPath(),e.moveTo(150.5,20),e.lineTo(150.5,u),e.stroke(),e.font=B,e.textAlign=`left`;for(let t of a)e.fillStyle=r.accent,e.fillRect(c(t),16,1.5,u-16),e.fillText(`predicted: ${Lt(t)} ×`,c(t)+4,12)}plot(){return x`<div class="plot"><canvas role="img" aria-label="${this.heading}, by method and size; its numbers are in the table"></canvas></div>`}table(){let e=this.#e,t=e=>`${Lt(e)} ×`,n=(n,r)=>({id:n,title:r,isNumber:!0,cell:r=>e[r].parameter[n]===null?``:t(e[r].parameter[n]),value:t=>e[t].parameter[n]});return{count:e.length,columns:[{id:`method`,title:`Method`,cell:t=>e[t].method},{id:`profile`,title:`Profile`,cell:t=>this.app.machines[e[t].machine].name},q(`size`,`Message size`,t=>e[t].parameter.from_bytes??0,A,{unit:`bytes`}),q(`steps`,`Steps`,t=>e[t].parameter.value,t),n(`low`,`95 % from`),n(`high`,`95 % to`)]}}};Zv=U([T(`mp-machine-steps`)],Zv),w(),O(),W();var Qv=class extends mv{constructor(...e){super(...e),this.view=`times`,this.heading=`Curves`}get#e(){let e=b_(this.app.machines);return e.find(e=>e.id===this.app.state.group)??e[0]}get#t(){return this.#e?.hasRates?this.app.state.y:`time`}figure(){let{isLogX:e,isLogY:t}=this.app.state,n=this.#e;return n?M_(this.app.machines,n,this.#t,e,t):null}about(){return`Medians; the bands around the lines are 95 % intervals.${this.figure()?.marks.length?` Vertical bands: between these two sizes the fitted line of ping-pong changes, as where the MPI changes its protocol.`:``}`}controls(){let{app:e}=this,{isLogX:t,isLogY:n}=e.state,r=this.#e,i=t=>{let{times:n,...r}=e.state.shown;e.set({group:t,shown:r})};return x`<label>of
        <select aria-label="Experiment" @change=${e=>i(e.target.value)}>
          ${b_(e.machines).map(({id:e,title:t})=>x`<option value=${e} ?selected=${e===r?.id}>${t}</option>`)}
        </select></label>
      <label>as
        <select aria-label="Number" ?disabled=${!r?.hasRates} @change=${t=>e.set({y:t.target.value})}>
          <option value="time" ?selected=${this.#t===`time`}>time</option>
          <option value="rate" ?selected=${this.#t===`rate`}>bandwidth</option>
        </select></label>
      <label><input type="checkbox" .checked=${t} @change=${()=>e.set({isLogX:!t})} />log x</label>
      <label><input type="checkbox" .checked=${n} @change=${()=>e.set({isLogY:!n})} />log y</label>`}};Qv=U([T(`mp-machine-times`)],Qv),w(),O(),R(),Ln(),F(),W();var $v=4,ey=class extends C{static{this.styles=[L,l`
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
        flex: 1;
        white-space: nowrap;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      nav {
        display: flex;
        gap: 2px;
      }
      .unread {
        padding: 4px 12px;
        background: var(--panel);
        border-bottom: 2px solid var(--bad);
        overflow-wrap: anywhere;
      }
      main {
        overflow: auto;
        display: grid;
        grid-template-columns: repeat(2, minmax(0, 1fr));
        gap: 12px;
        padding: 12px;
        align-content: start;
        grid-auto-rows: max-content;
      }
      main > * {
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 8px;
        overflow: hidden;
        scroll-margin: 12px;
      }
      .wide {
        grid-column: 1 / -1;
      }
      .plot {
        height: 400px;
      }
      .times {
        height: 460px;
      }
      .facts,
      .problems,
      .advice {
        padding: 8px 12px 10px;
      }
      h2,
      summary {
        font-size: 13px;
        font-weight: 600;
      }
      summary {
        cursor: pointer;
        min-height: 24px;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 2px 12px;
        margin: 4px 0 0;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .problems {
        border-left: 4px solid var(--warn);
      }
      .advice {
        border-left: 4px solid var(--good);
      }
      .problems ul,
      .advice ul {
        margin: 4px 0 0;
        padding-left: 18px;
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
      @media (max-width: 1200px) {
        main {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `]}constructor(){super(),this.app=new o_,new s_(this)}connectedCallback(){super.connectedCallback(),this.replaceChildren(),this.app.load(document).then(()=>{this.app.machines.length&&(document.title=`${this.app.machines.map(e=>e.name).join(` and `)} – mpiscope`)})}#e(e){let t=this.renderRoot.querySelector(`#${e}`);t?.scrollIntoView(),t?.focus()}render(){let{app:e}=this,{machines:t}=e,n=t.length?this.#t():[];return x`<header>
        <h1>${t.length?t.map(e=>e.name).join(` and `):`mpiscope`}</h1>
        <nav aria-label="Parts of the page">${n.filter(({tab:e})=>e).map(({id:e,tab:t})=>x`<button @click=${()=>this.#e(e)}>${t}</button>`)}</nav>
        <button class="line" @click=${()=>e.desk.set({theme:e.theme===`dark`?`light`:`dark`})}>${e.theme===`dark`?`Light`:`Dark`}</button>
      </header>
      ${e.unread.length?x`<div class="unread" role="alert">The address of this page has invalid parts, which are ignored: <b class="mono">${e.unread.join(`, `)}</b></div>`:x`<div></div>`}
      <main tabindex="0" aria-label="Machine profile">
        ${e.error?x`<div class="wide">${Pn(e.error)}</div>`:t.length?this.#n(n):x`<p class="note wide" role="status">Opening the profile …</p>`}
      </main>
      <footer>
        <span role="status" aria-live="polite">${e.desk.message}</span>
        <span>${e.isExported?`exported by mpiscope`:`mpiscope`}</span>
      </footer>`}#t(){let{app:e}=this,{machines:t}=e,n=e=>t.some(({profile:t})=>t.curves.some(t=>t.experiment===e));return[{id:`times`,tab:`Curves`,is:t.some(({profile:e})=>e.curves.length),look:`times wide`,shown:x`<mp-machine-times .app=${e}></mp-machine-times>`},{id:`pairs`,tab:`Pairs`,is:Pv(t),look:`plot`,shown:x`<mp-machine-pairs .app=${e}></mp-machine-pairs>`},{id:`steps`,tab:`Steps`,is:qv(t).length>0,look:`plot`,shown:x`<mp-machine-steps .app=${e}></mp-machine-steps>`},{id:`staircase`,tab:``,is:Vv(t).length>0,look:`plot`,shown:x`<mp-machine-staircase .app=${e}></mp-machine-staircase>`},{id:`bandwidth`,tab:`Memory`,is:n(`memory`),look:`plot`,shown:x`<mp-machine-bandwidth .app=${e}></mp-machine-bandwidth>`},{id:`latency`,tab:``,is:n(`memory`),look:`plot`,shown:x`<mp-machine-latency .app=${e}></mp-machine-latency>`},{id:`roofline`,tab:`Roofline`,is:n(`memory`),look:`plot`,shown:x`<mp-machine-roofline .app=${e}></mp-machine-roofline>`},{id:`parameters`,tab:`Parameters`,is:!0,look:`plot wide`,shown:x`<mp-machine-parameters .app=${e}></mp-machine-parameters>`}].filter(e=>e.is)}#n(e){let{machines:t}=this.app;return x`${t.map(e=>ty(e))} ${t.map(e=>ry(e,t.length>1))}
      ${t.map(e=>ny(e,t.length>1))}
      ${e.map(({id:e,look:t,shown:n})=>x`<div id=${e} class=${t} tabindex="-1">${n}</div>`)}`}};ey=U([T(`mp-machine`)],ey);function ty({name:e,profile:t}){let n=[...t.complete?[]:[`the job ended early: the profile is incomplete`],...t.problems];return n.length?x`<section class="problems wide" aria-label="Consider, ${e}">
    <h2>Consider: ${e}</h2>
    <ul>
      ${n.map(e=>x`<li>${e}</li>`)}
    </ul>
  </section>`:S}function ny({name:e,profile:t},n){let r=t.parameters.filter(e=>e.advice!==null);if(!r.length)return S;let i=({low:e,high:t})=>e===null||t===null?``:` (${e.toFixed(1)} to ${t.toFixed(1)})`;return x`<section class="advice wide" aria-label="Use instead, ${e}">
    <details ?open=${r.length<=$v}>
      <summary>Use instead${n?`: ${e}`:``} (${r.length})</summary>
      <ul>
        ${r.map(e=>x`<li>${e.advice}${i(e)}${e.disturbed?` *`:``}</li>`)}
      </ul>
    </details>
  </section>`}function ry({name:e,profile:t},n){let{mpi:r,settings:i}=t,a=(e,t)=>x`<dt>${e}</dt><dd>${t}</dd>`,o=t.hosts.map(e=>`${e.host}: ${e.processor??`unknown processor`}, ${M(e.cores,`core`)}, ${M(e.ranks,`rank`)}`),s=Object.entries(i.variables).map(([e,t])=>`${e}=${t}`);return x`<section class="facts ${n?``:`wide`}" aria-label="Machine of ${e}">
    <h2>${e}</h2>
    <dl>
      ${a(o.length===1?`Host`:`Hosts`,o.join(`; `))} ${a(`MPI`,`${r.version}, ${M(r.ranks,`rank`)}${i.with_threads?`, MPI_THREAD_MULTIPLE`:``}`)}
      ${a(`Measured`,`${__(t.started_s)}, in ${k((t.ended_s-t.started_s)*1e9)}: ${i.experiments.join(`, `)}`)}
      ${s.length?a(`Environment`,s.join(` `)):S}
    </dl>
  </section>`}
import{a as e,c as t,d as n,f as r,i,l as a,m as o,n as s,o as c,p as l,r as u,s as d,t as f,u as p}from"./shared.js";var m=class{#e=null;get isBusy(){return this.#e!==null}async run(e){this.#e?.abort();let t=new AbortController;this.#e=t;try{let n=await e(t.signal);return t.signal.aborted?void 0:n}catch(e){if(t.signal.aborted)return;throw e}finally{this.#e===t&&(this.#e=null)}}cancel(){this.#e?.abort(),this.#e=null}},h=class{#e;#t;#n;#r;constructor(e){this.#e=new Map(e.functions.map(e=>[e.id,e])),this.#t=new Map(e.communicators.map(e=>[e.id,e.name])),this.#n=new Map(e.sites.map(e=>[e.id,e.text])),this.#r=new Map(e.regions.map(e=>[e.id,e.name]))}function(e){return this.#e.get(e)?.name??`function ${e}`}short(e){return this.function(e).replace(/^MPI_/,``)}classOf(e){return this.#e.get(e)?.class??`local`}functionId(e){for(let[t,n]of this.#e)if(n.name===e)return t;return null}comm(e){return e===null||e<0?``:this.#t.get(e)??`communicator ${e}`}site(e){return e===null||e<0?``:this.#n.get(e)??``}region(e){return e===null||e<0?``:this.#r.get(e)??`region ${e}`}};function g(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}function _(e,t,n){let r=0,i=e;for(;Math.abs(i)>=t-.5&&r<n.length-1;)i/=t,r++;return`${r===0&&Number.isInteger(i)?String(i):g(i)} ${n[r]}`}function v(e){return Number.isFinite(e)?e===0?`0 s`:_(e,1e3,[`ns`,`µs`,`ms`,`s`]):`–`}function y(e){return Number.isFinite(e)?_(e,1024,[`B`,`KiB`,`MiB`,`GiB`,`TiB`]):`–`}function ee(e){return Number.isFinite(e)?`${_(e,1024,[`B`,`KiB`,`MiB`,`GiB`,`TiB`])}/s`:`–`}function b(e){return Number.isFinite(e)?Math.round(e).toString().replace(/\B(?=(\d{3})+(?!\d))/g,` `):`–`}function x(e){return Number.isFinite(e)?Math.abs(e)<1e4?b(e):_(e,1e3,[``,`k`,`M`,`G`,`T`]):`–`}function S(e){if(!Number.isFinite(e))return`–`;let t=e*100;return t!==0&&Math.abs(t)<.1?`< 0.1 %`:`${t.toFixed(1)} %`}function te(e){return Number.isFinite(e)?Number.isInteger(e)?b(e):g(e):`–`}function ne(e,t){return t===`ns`?v(e):t===`bytes`?y(e):t===`bytes/ns`?ee(e*1e9):t?`${te(e)} ${t}`:te(e)}function C(e,t){if(!Number.isFinite(e))return`–`;let n=Math.min(9,Math.max(0,Math.ceil(9-Math.log10(Math.max(1,t))-1e-9))),r=e<0?`−`:``,i=Math.round(Math.abs(e)/10**(9-n)).toString().padStart(n+1,`0`),a=i.slice(0,i.length-n),o=n?i.slice(i.length-n).match(/\d{1,3}/g)??[]:[];return`${r}${a}${n?`.${o.join(` `)}`:``} s`}function w(e){let t=[...new Set(e)].sort((e,t)=>e-t),n=[];for(let e=0;e<t.length;){let r=e;for(;r+1<t.length&&t[r+1]===t[r]+1;)r++;n.push(r===e?`${t[e]}`:`${t[e]}-${t[r]}`),e=r+1}return n.join(`,`)}function re(e,t){let n=new Set;for(let r of e.split(`,`).map(e=>e.trim()).filter(Boolean)){let e=/^(\d+)(?:\s*-\s*(\d+))?$/.exec(r);if(!e)return null;let i=Number(e[1]),a=Math.min(Number(e[2]??e[1]),t-1);for(let e=i;e<=a;e++)n.add(e)}return[...n].sort((e,t)=>e-t)}function ie(e,t,n,r){if(n===null||r===null)return null;let i=Math.max(0,Math.floor(n)),a=Math.min(e?.length??t,Math.ceil(r));if(i<=0&&a>=(e?.length??t)&&(e===null||e.length===t))return null;let o=[];for(let t=i;t<a;t++)o.push(e?e[t]:t);return w(o)}function ae(e,t){if(e===null||t===null)return e??t;let n=new Set(oe(t)),r=oe(e).filter(e=>n.has(e));return r.length?w(r):`16777215`}function oe(e){let t=[];for(let n of e.split(`,`)){let[e,r]=n.split(`-`).map(Number);for(let n=e;n<=(r??e);n++)t.push(n)}return t}function se(e,t){return e.area?{from:Math.round(e.area.from),until:Math.round(e.area.until)}:e.scope===`run`||e.from===null&&e.until===null?{from:null,until:null}:{from:Math.round(t.from),until:Math.round(t.until)}}function ce(e,t,n,r){let i=e.area,a=i?ie(n,r,i.row_from,i.row_until):e.scope===`window`?ie(n,r,e.row_from,e.row_until):null;return{...e.filter,...se(e,t),ranks:ae(a,e.filter.ranks)}}var le=65534;function ue(e,t){return de(e.skipped.length?{...e,hidden:[...e.hidden,...e.skipped]}:e,t)}function de(e,t){if(!e.hidden.length)return e.filter.functions;let n=new Set(e.hidden),r=(e.filter.functions??t.map(e=>e.id)).filter(e=>!n.has(e));return r.length?r:[le]}function fe(e,t){let n=Math.max(e.until_ns,e.from_ns+20);return{from:e.from_ns,until:n,row_from:0,row_until:Math.max(1,t)}}function pe(e,t){return{from:e.from??t.from,until:e.until??t.until,row_from:e.row_from??t.row_from,row_until:Math.min(e.row_until??t.row_until,Math.max(t.row_until,1))}}var T=(e,t,n)=>Math.max(t,Math.min(n,e));function E(e,t){let n=T(e.until-e.from,20,t.until-t.from),r=T(e.from,t.from,t.until-n),i=T(e.row_until-e.row_from,Math.min(1,t.row_until),t.row_until-t.row_from),a=T(e.row_from,t.row_from,t.row_until-i);return{from:r,until:r+n,row_from:a,row_until:a+i}}function me(e,t,n,r){let i=e.until-e.from,a=T(i*n,20,t.until-t.from),o=e.from+i*r;return E({...e,from:o-a*r,until:o+a*(1-r)},t)}function he(e,t,n,r){let i=e.row_until-e.row_from,a=T(i*n,1,t.row_until-t.row_from),o=e.row_from+i*r;return E({...e,row_from:o-a*r,row_until:o+a*(1-r)},t)}function D(e,t,n,r){let i=(e.until-e.from)*n,a=(e.row_until-e.row_from)*r;return E({from:e.from+i,until:e.until+i,row_from:e.row_from+a,row_until:e.row_until+a},t)}function ge(e,t,n,r,i){let a=Math.max(e.until-e.from,(r-n)*1.2),o=(n+r)/2;return E({...e,from:o-a/2,until:o+a/2,...ve(e,i)},t)}function _e(e,t,n,r,i){let a=Math.max((r-n)*3,20),o=(n+r)/2;return E({...e,from:o-a/2,until:o+a/2,...ve(e,i)},t)}function ve(e,t){let n=e.row_until-e.row_from;if(t===null||t>=e.row_from&&t+1<=e.row_until)return{row_from:e.row_from,row_until:e.row_until};let r=t+.5-n/2;return{row_from:r,row_until:r+n}}function ye(e,t){let n=e.from<=t.from&&e.until>=t.until,r=e.row_from<=t.row_from&&e.row_until>=t.row_until,i=e=>Math.round(e*1e3)/1e3;return{from:n?null:Math.round(e.from),until:n?null:Math.max(Math.round(e.until),Math.round(e.from)+1),row_from:r?null:i(e.row_from),row_until:r?null:i(e.row_until)}}var be=500,xe=`mpiscope.theme`,Se=`mpiscope.single-keys`,Ce=class extends EventTarget{#e;#t;#n;constructor(e,t){super(),this.run=null,this.names=null,this.report=null,this.reportError=null,this.error=null,this.order=null,this.orderError=null,this.positions=new Int32Array,this.detail=null,this.detailError=null,this.theme=`light`,this.hasSingleKeys=!0,this.dialog=null,this.message=``,this.launch=null,this.growth=0,this.#e=new m,this.#t=new m,this.#n=new m,this.client=e,this.store=t,t.listen((e,t)=>{e.order!==t.order&&this.#c(),(e.selection?.rank!==t.selection?.rank||e.selection?.row!==t.selection?.row)&&this.#l(),this.changed()}),this.theme=we(),document.documentElement.dataset.theme=this.theme,this.hasSingleKeys=localStorage.getItem(Se)!==`off`}changed(){this.dispatchEvent(new Event(`change`))}say(e){this.message=e,this.changed()}fail(t){if(c(t))return;let n=e(t);this.say(`${n.message}. ${n.next}`)}setTheme(e){this.theme=e,document.documentElement.dataset.theme=e,localStorage.setItem(xe,e),this.changed()}setSingleKeys(e){this.hasSingleKeys=e,localStorage.setItem(Se,e?`on`:`off`),this.say(e?`Single-key shortcuts are on.`:`Single-key shortcuts are off. The command palette (Ctrl+Shift+P) turns them on again.`)}open(e){this.dialog=e,this.changed()}async start(){try{this.#r(await this.client.run())}catch(t){this.error=e(t),this.changed();return}this.#o(),this.#a(),(this.run?.state===`building`||this.run?.state===`ready`&&(!this.run.is_explained||this.run.is_writing))&&this.#i(),await this.#c(),this.#l()}#r(e){this.run=e,this.names=new h(e),document.title=`${e.name} – mpiscope`,this.order||this.#s(),this.changed()}async#i(){for(;;){await new Promise(e=>setTimeout(e,be));try{let e=this.run,t=await this.client.progress();if(t.state===`building`){t.done!==e.done&&this.growth++,this.#r({...e,...t});continue}if((e.state===`building`||t.is_explained&&!e.is_explained)&&(this.#r(await this.client.run()),this.growth++),e.state===`building`&&t.state===`ready`&&(this.#c(),this.#l(),this.say(`The run is read.`)),e.is_writing&&!t.is_writing&&(this.#r(await this.client.run()),this.growth++,this.#c(),this.#l(),this.say(`The program has ended: all of the run is there now.`)),(t.is_explained||t.state===`failed`)&&(e.is_writing===t.is_writing&&e.is_explained||this.#o(),!t.is_writing||t.state===`failed`))return}catch(t){this.error=e(t),this.changed();return}}}async#a(){try{this.launch=(await this.client.offers()).launch}catch{return}this.changed()}async#o(){try{this.report=await this.client.report()}catch(t){this.reportError=e(t)}this.changed()}#s(){let e=this.run?.ranks.count??0;this.order=null,this.positions=Int32Array.from({length:e},(e,t)=>t)}async#c(){let t=this.store.state.order;if(this.orderError=null,!t)this.#e.cancel(),this.#s(),this.changed();else{try{let e=await this.#e.run(e=>this.client.order(t,e));if(!e)return;this.order=e,this.positions=new Int32Array(this.run?.ranks.count??0).fill(-1),e.ranks.forEach((e,t)=>this.positions[e]=t)}catch(t){this.orderError=e(t),this.fail(t)}this.changed()}}async#l(){let t=this.store.state.selection;if(this.detailError=null,!t||this.run?.state!==`ready`)this.#t.cancel(),this.detail=null,this.changed();else{try{let e=await this.#t.run(e=>this.client.call(t,e));e&&(this.detail=e)}catch(t){this.detail=null,this.detailError=e(t)}this.changed()}}get rows(){return this.order?.ranks.length??this.run?.ranks.count??0}rankAt(e){return this.order?this.order.ranks[e]??-1:e}worldRank(e){return this.run?.ranks.world_rank[e]??e}rankOfWorld(e){let t=this.run?.ranks.world_rank.indexOf(e)??-1;return t>=0?t:e}get whole(){return fe(this.run??{from_ns:0,until_ns:1},this.rows)}get window(){return pe(this.store.state,this.whole)}get scope(){return ce(this.store.state,this.window,this.order?.ranks??null,this.run?.ranks.count??0)}setWindow(e,t){let n=ye(e,this.whole);t?this.store.move(n):this.store.set(n)}show(e,t=`centre`){let n=this.positions[e.rank]??-1,r=t===`fit`?_e:ge,{from:i,until:a}=this.window,o=t===`centre`&&e.start_ns>=i&&e.end_ns<=a,{row_from:s,row_until:c}=this.window,l=n<0||n>=s&&n+1<=c,u=o&&l?this.window:r(this.window,this.whole,e.start_ns,e.end_ns,n<0?null:n);this.store.set({page:`views`,selection:{rank:e.rank,row:e.row},...ye(u,this.whole)})}select(e){this.store.set({selection:e})}async goTo(e,t){try{let n=await this.#n.run(e);if(n===void 0)return;n===null?this.say(t):(this.message=``,this.show(n))}catch(e){this.fail(e)}}};function we(){let e=localStorage.getItem(xe);return e===`light`||e===`dark`?e:matchMedia(`(prefers-color-scheme: dark)`).matches?`dark`:`light`}var Te={ArrowLeft:`←`,ArrowRight:`→`,ArrowUp:`↑`,ArrowDown:`↓`,BracketLeft:`[`,BracketRight:`]`,Period:`.`,Comma:`,`,Slash:`/`,Escape:`Esc`,Home:`Home`,Equal:`+`,Minus:`−`};function Ee(e){let t=e.key??Te[e.code??``]??(e.code??``).replace(/^(Key|Digit)/,``);return[e.ctrl?`Ctrl`:``,e.alt?`Alt`:``,e.shift&&!e.key?`Shift`:``,t].filter(Boolean).join(`+`)}function De(e,t){return!!e.ctrl!==(t.ctrlKey||t.metaKey)||!!e.alt!==t.altKey?!1:e.key===void 0?t.code===e.code&&!!e.shift===t.shiftKey:t.key===e.key}function Oe(e,t,n){return e.find(e=>e.keys.some(e=>De(e,t))&&(e.when?.(n)??!0))??null}var ke=`input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]`;function Ae(){let e=document.activeElement;for(;e?.shadowRoot?.activeElement;)e=e.shadowRoot.activeElement;return e}function je(e,t){window.addEventListener(`keydown`,n=>{if(n.defaultPrevented)return;let r=Ae()?.matches(ke)??!1,i=n.ctrlKey||n.metaKey||n.altKey;if((r||e.dialog)&&!i||!i&&!e.hasSingleKeys&&n.key.length===1)return;let a=Oe(t,n,e);a&&(n.preventDefault(),a.run(e))})}var Me=[`ranks`,`pin`,`group`,`sort`];function O(e,t){let n=e.split(`;`).find(e=>e.startsWith(`${t}:`));return n===void 0?null:n.slice(t.length+1)}function k(e,t,n){return Me.map(r=>[r,r===t?n:O(e,r)]).filter(([,e])=>e!==null&&e!==``).map(([e,t])=>`${e}:${t}`).join(`;`)}var Ne=[`table`,`scatter`,`histogram`,`matrix`,`events`],Pe=[`messages`,`collectives`,`waits`,`path`,`regions`],A=Object.freeze({ranks:null,functions:null,comm:null,site:null,region:null,peer:null,peers:null,tag:null,bytes_min:null,bytes_max:null,duration_min:null,duration_max:null,host:null,iteration:null,thread:null}),j=Object.freeze({page:`overview`,from:null,until:null,row_from:null,row_until:null,order:``,filter:A,selection:null,area:null,hidden:[],skipped:[],colouring:`function`,layers:[`messages`,`collectives`,`waits`],left:`table`,right:`scatter`,scope:`window`,table:{by:`function`,sort:`total_ns`,ascending:!1},scatter:{x:`end`,y:`duration`,x_log:!1,y_log:!0,x_min:null,x_max:null,y_min:null,y_max:null},histogram:{field:`duration`,is_log:!0},matrix:{by:`rank`,value:`bytes`,comm:null},twins:[],finding:null}),Fe=e=>Object.values(e).some(e=>e!==null),Ie=e=>Object.entries(e).every(([e,t])=>t===null||e===`functions`),Le=.75,Re=.15,ze=e=>e.store.state.page===`views`&&e.run!==null;function Be(e){let{area:t}=e.store.state,n=e.detail;return n&&e.store.state.selection?{start:n.start_ns,end:n.start_ns+n.duration_ns,row:e.positions[n.rank]??null}:t?{start:t.from,end:t.until,row:null}:null}function Ve(e){let t=Be(e);if(!t)return;let n=e.window,r=ge(n,e.whole,t.start,t.end,t.row),i=Math.abs(r.from-n.from)<(n.until-n.from)/100&&Math.abs(r.row_from-n.row_from)<.5;e.setWindow(i?_e(n,e.whole,t.start,t.end,t.row):r,!1)}function He(e){let{rows_from_ns:t,rows_until_ns:n}=e.run?.ranks??{};if(!t?.length||!n?.length)return null;let[r,i]=[t.reduce((e,t)=>Math.min(e,t)),n.reduce((e,t)=>Math.max(e,t))];return i>r?E({...e.window,from:r,until:i},e.whole):null}function Ue(e){let{area:t}=e.store.state;if(!t)return;let n=e.window;e.setWindow(E({from:t.from,until:t.until,row_from:t.row_from??n.row_from,row_until:t.row_until??n.row_until},e.whole),!1)}var M=(e,t,n,r)=>({id:e,title:t,group:`Move`,keys:n,when:ze,run:r}),We=[M(`zoom-in`,`Zoom in`,[{code:`KeyW`},{code:`Equal`}],e=>e.setWindow(me(e.window,e.whole,Le,.5),!0)),M(`zoom-out`,`Zoom out`,[{code:`KeyS`},{code:`Minus`}],e=>e.setWindow(me(e.window,e.whole,1/Le,.5),!0)),M(`earlier`,`Earlier`,[{code:`KeyA`},{code:`ArrowLeft`}],e=>e.setWindow(D(e.window,e.whole,-.15,0),!0)),M(`later`,`Later`,[{code:`KeyD`},{code:`ArrowRight`}],e=>e.setWindow(D(e.window,e.whole,Re,0),!0)),M(`rows-up`,`Ranks above`,[{code:`ArrowUp`}],e=>e.setWindow(D(e.window,e.whole,0,-.15),!0)),M(`rows-down`,`Ranks below`,[{code:`ArrowDown`}],e=>e.setWindow(D(e.window,e.whole,0,Re),!0)),M(`rows-in`,`Fewer, taller ranks`,[{code:`KeyW`,shift:!0}],e=>e.setWindow(he(e.window,e.whole,Le,.5),!0)),M(`rows-out`,`More, flatter ranks`,[{code:`KeyS`,shift:!0}],e=>e.setWindow(he(e.window,e.whole,1/Le,.5),!0)),{...M(`focus`,`Centre what is selected; again: fit it`,[{code:`KeyF`}],Ve),when:e=>ze(e)&&Be(e)!==null},{...M(`zoom-to-area`,`Zoom to the selected area`,[{code:`KeyZ`}],Ue),when:e=>ze(e)&&e.store.state.area!==null},{...M(`main`,`From the end of MPI_Init to MPI_Finalize`,[{code:`Digit9`}],e=>e.setWindow(He(e),!1)),when:e=>ze(e)&&He(e)!==null},M(`whole`,`The whole run`,[{code:`Home`},{code:`Digit0`}],e=>e.setWindow(e.whole,!1))];async function Ge(e,t){let n=e.store.state,{from:r,until:i,row_from:a,row_until:o}=e.window,s=await e.client.calls({...n.filter,from:Math.round(r),until:Math.round(i),row_from:Math.floor(a),row_until:Math.ceil(o),order:n.order,limit:1},t);return s.length?{rank:s.rank[0],row:s.row[0],start_ns:s.start_ns[0],end_ns:s.start_ns[0]+s.duration_ns[0]}:null}var Ke={rank:`in this rank`,functions:`of functions that are shown`,function:`of the same function`,comm:`on the same communicator`,message:`at the other end of a message`,collective:`in the same collective operation`,longer:`that takes longer`,site:`from the same call site`};function qe(e,t,n){let r=e.store.state.selection;if(!r){e.goTo(t=>Ge(e,t),`There are no calls in sight.`);return}let i=t===`rank`?ue({...e.store.state,filter:A},e.run?.functions??[]):null,a=t===`longer`?{than_ns:e.detail?.duration_ns??0}:i?{functions:i}:{};e.goTo(o=>e.client.step(r,i?`functions`:t,n,a,o),`There is no ${n} call ${Ke[t]}.`)}function Je(e,t){qe(e,e.detail?.collective&&!e.detail.messages.length?`collective`:`message`,t)}function N(e,t,n,r,i){return{id:e,title:t,group:`Walk`,keys:i,when:e=>e.run?.state===`ready`&&e.store.state.page===`views`,run:e=>qe(e,n,r)}}var Ye=[N(`next`,`Next call in the rank`,`rank`,`next`,[{code:`Period`}]),N(`previous`,`Previous call in the rank`,`rank`,`previous`,[{code:`Comma`}]),{...N(`along-next`,`To the other end of the message, or the next member of the collective operation`,`message`,`next`,[{code:`BracketRight`}]),run:e=>Je(e,`next`)},{...N(`along-previous`,`The same, the other way`,`message`,`previous`,[{code:`BracketLeft`}]),run:e=>Je(e,`previous`)},N(`next-function`,`Next call of the same function`,`function`,`next`,[{code:`KeyG`}]),N(`previous-function`,`Previous call of the same function`,`function`,`previous`,[{code:`KeyG`,shift:!0}]),N(`next-comm`,`Next call on the same communicator`,`comm`,`next`,[{code:`KeyC`}]),N(`previous-comm`,`Previous call on the same communicator`,`comm`,`previous`,[{code:`KeyC`,shift:!0}]),N(`next-site`,`Next call from the same call site`,`site`,`next`,[{code:`KeyE`}]),N(`previous-site`,`Previous call from the same call site`,`site`,`previous`,[{code:`KeyE`,shift:!0}]),N(`next-longer`,`Next call that takes longer`,`longer`,`next`,[{code:`KeyN`}]),N(`previous-longer`,`Previous call that takes longer`,`longer`,`previous`,[{code:`KeyN`,shift:!0}]),{id:`longest`,title:`Longest call in sight`,group:`Walk`,keys:[{code:`KeyL`}],when:e=>e.run?.state===`ready`&&e.store.state.page===`views`,run:e=>void e.goTo(t=>Ge(e,t),`There are no calls in sight.`)}],P=e=>e.store.state.page===`views`,Xe={messages:[`Message arrows`,`KeyM`],collectives:[`Lines through collective operations`,`KeyK`],waits:[`Hatching of waits`,`KeyH`],path:[`Critical path`,`KeyP`],regions:[`Regions of the program`,`KeyR`]},Ze=e=>Xe[e][0],Qe={table:`Table`,scatter:`Scatter`,histogram:`Histogram`,matrix:`Matrix`,events:`Events`},$e=e=>Qe[e],et=Pe.map(e=>({id:`layer-${e}`,title:`${Xe[e][0]}: on or off`,group:`Show`,keys:[{code:Xe[e][1]}],when:P,run:t=>{let{layers:n}=t.store.state,r=n.includes(e);t.store.set({layers:Pe.filter(t=>t===e?!r:n.includes(t))}),t.say(`${Xe[e][0]}: ${r?`off`:`on`}.`)}})),tt=[`left`,`right`].flatMap(e=>Ne.map((t,n)=>({id:`${e}-${t}`,title:`${Qe[t]} in the ${e} pane`,group:`Panes`,keys:[{code:`Digit${n+1}`,alt:!0,shift:e===`right`}],run:n=>n.store.set({page:`views`,[e]:t})}))),nt=[{id:`rank`,title:`By rank`,order:``},{id:`wait`,title:`By waiting time`,order:`sort:wait`},{id:`mpi`,title:`By time in MPI`,order:`sort:mpi`},{id:`computing`,title:`By computing time`,order:`sort:computing`},{id:`bytes`,title:`By bytes`,order:`sort:bytes`},{id:`calls`,title:`By calls`,order:`sort:calls`},{id:`host`,title:`Grouped by host`,order:`group:host`},{id:`host-wait`,title:`Grouped by host, by waiting time`,order:`group:host;sort:wait`}],rt=(e,t)=>e.store.set({page:`views`,order:t,row_from:null,row_until:null,area:null}),it=[...nt.map(({id:e,title:t,order:n})=>({id:`order-${e}`,title:`Order of ranks: ${t.toLowerCase()}`,group:`Order of ranks`,keys:[],run:e=>rt(e,[`ranks`,`pin`].reduce((t,n)=>k(t,n,O(e.store.state.order,n)),n))})),{id:`order-function`,title:`Order of ranks: by time in the selected call's function`,group:`Order of ranks`,keys:[],when:e=>e.detail!==null,run:e=>rt(e,k(e.store.state.order,`sort`,`function:${e.detail.function_id}`))},{id:`pin`,title:`Pin the selected call's rank to the top, or let it go`,group:`Order of ranks`,keys:[{code:`KeyI`}],when:e=>P(e)&&e.store.state.selection!==null,run:e=>{let{order:t,selection:n}=e.store.state,r=n.rank,i=re(O(t,`pin`)??``,e.run.ranks.count)??[],a=i.includes(r)?i.filter(e=>e!==r):[...i,r];rt(e,k(t,`pin`,a.length?w(a):null))}},{id:`only-area`,title:`Show only the ranks of the selected area`,group:`Order of ranks`,keys:[],when:e=>P(e)&&e.store.state.area!==null&&e.store.state.area.row_from!==null,run:e=>{let{area:t,order:n}=e.store.state,r=ie(e.order?.ranks??null,e.run.ranks.count,t.row_from,t.row_until);r!==null&&rt(e,k(n,`ranks`,r))}},{id:`all-ranks`,title:`Show all ranks`,group:`Order of ranks`,keys:[],when:e=>O(e.store.state.order,`ranks`)!==null,run:e=>rt(e,k(e.store.state.order,`ranks`,null))}],at=[{id:`find`,title:`Search calls`,group:`Select and filter`,keys:[{key:`/`}],run:e=>e.open(`find`)},{id:`clear`,title:`Take back: the area, then the selected call`,group:`Select and filter`,keys:[{code:`Escape`}],when:e=>e.store.state.area!==null||e.store.state.selection!==null,run:e=>e.store.set(e.store.state.area?{area:null}:{selection:null})},{id:`clear-filter`,title:`Take all filters away`,group:`Select and filter`,keys:[{code:`Escape`,shift:!0}],when:e=>Fe(e.store.state.filter)||e.store.state.hidden.length>0||e.store.state.skipped.length>0,run:e=>e.store.set({filter:A,hidden:[],skipped:[]})},{id:`filter-function`,title:`Only the function of the selected call`,group:`Select and filter`,keys:[{code:`KeyO`}],when:e=>e.detail!==null,run:e=>{e.store.set({filter:{...e.store.state.filter,functions:[e.detail.function_id]}})}},{id:`filter-rank`,title:`Only the rank of the selected call`,group:`Select and filter`,keys:[{code:`KeyO`,shift:!0}],when:e=>e.store.state.selection!==null,run:e=>e.store.set({filter:{...e.store.state.filter,ranks:String(e.store.state.selection.rank)}})},{id:`select-window`,title:`Select what is in sight as an area`,group:`Select and filter`,keys:[{code:`KeyX`}],when:e=>P(e)&&e.run!==null,run:e=>{let{from:t,until:n,row_from:r,row_until:i}=e.window;e.store.set({area:{from:t,until:n,row_from:Math.floor(r),row_until:Math.ceil(i)}})}}],ot=[{id:`overview`,title:`Overview`,group:`Page`,keys:[{code:`Digit1`}],run:e=>e.store.set({page:`overview`})},{id:`views`,title:`Timeline and views`,group:`Page`,keys:[{code:`Digit2`}],run:e=>e.store.set({page:`views`})},{id:`palette`,title:`Command palette`,group:`Page`,keys:[{code:`KeyP`,ctrl:!0,shift:!0},{code:`F1`}],run:e=>e.open(`palette`)},{id:`help`,title:`Keys and mouse`,group:`Page`,keys:[{key:`?`}],run:e=>e.open(`help`)},{id:`theme`,title:`Dark or light`,group:`Page`,keys:[{code:`KeyT`}],run:e=>e.setTheme(e.theme===`dark`?`light`:`dark`)},{id:`single-keys`,title:`Single-key shortcuts: on or off`,group:`Page`,keys:[],run:e=>e.setSingleKeys(!e.hasSingleKeys)},{id:`copy-link`,title:`Copy a link to this view`,group:`Page`,keys:[{code:`KeyY`}],run:e=>{e.store.flush(),navigator.clipboard?.writeText(window.location.href).then(()=>e.say(`The link is copied.`),()=>e.say(`The browser does not let the link be copied; it stands in the address bar.`))}},{id:`colouring`,title:`Colours by function or by class`,group:`Show`,keys:[{code:`KeyB`}],when:P,run:e=>e.store.set({colouring:e.store.state.colouring===`class`?`function`:`class`})},{id:`scope`,title:`Panes: what is in sight, or the whole run`,group:`Show`,keys:[{code:`KeyU`}],when:P,run:e=>e.store.set({scope:e.store.state.scope===`run`?`window`:`run`})},{id:`timeline-table`,title:`Timeline as a table, or as a picture`,group:`Show`,keys:[{code:`KeyV`}],when:P,run:e=>st(e,`timeline`)},{id:`reset`,title:`Everything as at the beginning`,group:`Page`,keys:[],run:e=>e.store.set({...j,page:e.store.state.page})}];function st(e,t){let{twins:n}=e.store.state;e.store.set({twins:n.includes(t)?n.filter(e=>e!==t):[...n,t].sort()})}var F=[...We,...Ye,...at,...et,...it,...tt,...ot];function I(e){return e.status===409?L():r`<div class="error" role="alert"><b>${ct(e.message)}</b><br />${e.next}</div>`}function L(){return r`<p class="note">This is available when the run is read.</p>`}var ct=e=>{let t=e.charAt(0).toUpperCase()+e.slice(1);return/[.!?]$/.test(t)?t:`${t}.`},R={classes:{send:{light:`#0a68a6`,dark:`#2f86c8`},receive:{light:`#1d7f6e`,dark:`#84cabe`},completion:{light:`#e8a838`,dark:`#c98d2b`},probe:{light:`#b8a000`,dark:`#d3c64a`},barrier:{light:`#96182e`,dark:`#c86375`},collective:{light:`#d481b0`,dark:`#ad5b8a`},rma:{light:`#7a55b8`,dark:`#a98be8`},file:{light:`#8c6239`,dark:`#c49a6c`},objects:{light:`#6b8e23`,dark:`#8aab4e`},setup:{light:`#6d7684`,dark:`#5d687b`},local:{light:`#9aa4b2`,dark:`#75808f`}},compute:{light:`#e7eaef`,dark:`#262e39`},hatch:{light:`#2a1a00`,dark:`#07090c`},absent:{light:`#f5f6f8`,dark:`#11151b`},steps:[0,-.28,.3,-.14,.16],ink:{light:{text:`#1a1f27`,muted:`#586172`,line:`#d5d9e0`,faint:`#eceef2`,panel:`#ffffff`,background:`#f5f6f8`,compute:`#e7eaef`,accent:`#1257b8`,shade:`rgba(70, 80, 100, 0.28)`,selection:`#111111`,arrow:`rgba(20, 24, 32, 0.5)`,collective:`rgba(150, 40, 110, 0.55)`,path:`#c2101c`,absent:`#c9ced6`,phases:[`#dfe4ec`,`#ccd3de`]},dark:{text:`#e3e8ef`,muted:`#9ca8b9`,line:`#2e3744`,faint:`#1e242d`,panel:`#181d25`,background:`#11151b`,compute:`#262e39`,accent:`#7db5ff`,shade:`rgba(0, 0, 0, 0.5)`,selection:`#ffffff`,arrow:`rgba(245, 248, 252, 0.55)`,collective:`rgba(240, 160, 215, 0.55)`,path:`#ff6b6b`,absent:`#3a4453`,phases:[`#2a323e`,`#353f4d`]}}},lt=e=>Number.parseInt(e.slice(1),16),ut=e=>({light:lt(e.light),dark:lt(e.dark)}),dt=Object.fromEntries(Object.entries(R.classes).map(([e,t])=>[e,ut(t)])),ft=dt.local,pt=ut(R.compute),mt=ut(R.hatch);ut(R.absent);var ht=e=>e>>16&255,gt=e=>e>>8&255,_t=e=>e&255;function vt(e,t,n){let r=(e,t)=>Math.round(e+(t-e)*n);return r(ht(e),ht(t))<<16|r(gt(e),gt(t))<<8|r(_t(e),_t(t))}function z(e){return`#${e.toString(16).padStart(6,`0`)}`}function yt(e){return(255<<24|_t(e)<<16|gt(e)<<8|ht(e))>>>0}function B(e,t){return(dt[e]??ft)[t]}var bt=R.steps;function xt(e,t,n){let r=B(t,n),i=bt[Math.imul(e,2654435761)>>>29<bt.length?Math.imul(e,2654435761)>>>29:e%bt.length]??0;return i<0?vt(r,0,-i):vt(r,16777215,i)}function St(e){let t=e=>e/255<=.04045?e/255/12.92:((e/255+.055)/1.055)**2.4;return .2126*t(ht(e))+.7152*t(gt(e))+.0722*t(_t(e))>.179?`#000000`:`#ffffff`}function Ct(e,t){let n=t===`light`?[15133941,11125728,6131652,2775708,730196]:[2042943,2576511,4162488,9092829,15923160],r=Math.max(0,Math.min(1,e))*(n.length-1),i=Math.min(n.length-2,Math.floor(r));return vt(n[i],n[i+1],r-i)}function wt(e,t){let n=e.names?.classOf(t)??`local`;return Et(z(e.store.state.colouring===`class`?B(n,e.theme):xt(t,n,e.theme)))}function Tt(e,t){return Et(z(B(t,e.theme)))}function Et(e,t=!1){return r`<svg width="11" height="11" viewBox="0 0 11 11" aria-hidden="true" class="swatch">
    <rect width="11" height="11" rx="2" fill=${e}></rect>
    ${t?l`<path d="M0 5L5 0M0 11L11 0M5 11L11 5" stroke="#000" stroke-opacity=".6" stroke-width="1.4"></path>`:``}
  </svg>`}var V=class{#e;#t;#n=()=>{this.#t?.(),this.#e.requestUpdate()};constructor(e,t=null){this.#e=e,this.#t=t,e.addController(this)}hostConnected(){this.#e.app.addEventListener(`change`,this.#n),queueMicrotask(()=>this.#t?.())}hostDisconnected(){this.#e.app.removeEventListener(`change`,this.#n)}};function H(e,t){if(e.isLog){let n=Math.log(Math.max(e.min,Number.MIN_VALUE)),r=Math.log(Math.max(e.max,Number.MIN_VALUE));return r>n?(Math.log(Math.max(t,Number.MIN_VALUE))-n)/(r-n):.5}return e.max>e.min?(t-e.min)/(e.max-e.min):.5}function Dt(e,t){if(e.isLog){let n=Math.log(Math.max(e.min,Number.MIN_VALUE)),r=Math.log(Math.max(e.max,Number.MIN_VALUE));return Math.exp(n+(r-n)*t)}return e.min+(e.max-e.min)*t}function Ot(e,t,n=!1){let r=e/Math.max(1,t);if(!(r>0)||!Number.isFinite(r))return 1;if(n)return 2**Math.ceil(Math.log2(r));let i=10**Math.floor(Math.log10(r));for(let e of[1,2,5,10])if(e*i>=r*(1-1e-9))return e*i;return 10*i}function kt(e,t,n,r=!1){let i=Ot(t-e,n,r),a=[];for(let n=Math.ceil(e/i-1e-9);n*i<=t+i*1e-9;n++)a.push(n*i);return a}function At(e,t,n,r=!1){let i=r?2:10,a=Math.ceil(Math.log(Math.max(e,Number.MIN_VALUE))/Math.log(i)-1e-9),o=Math.floor(Math.log(Math.max(t,Number.MIN_VALUE))/Math.log(i)+1e-9),s=Math.max(1,Math.ceil((o-a+1)/Math.max(1,n))),c=[];for(let e=a;e<=o;e++)(e-a)%s===0&&c.push(i**e);return c.length>=2?c:kt(e,t,Math.min(n,4),r)}function jt(e,t,n=``){let r=n===`bytes`;return e.isLog?At(e.min,e.max,t,r):kt(e.min,e.max,t,r)}var Mt=60,Nt=18,Pt=26,Ft=20,It=14,Lt=10;function Rt(e,t,n,r){let i=r?Nt:0,a=Mt+i,o=n?It:0,s=46+o;return{width:e,height:t,left:a,top:s,plotWidth:Math.max(1,e-a-Lt),plotHeight:Math.max(1,t-s-2),mapTop:0,mapHeight:Pt,axisTop:Pt,axisHeight:Ft,rulerTop:46,rulerHeight:o,groupWidth:i}}var U=(e,t,n)=>e.left+(n-t.from)/(t.until-t.from)*e.plotWidth,zt=(e,t,n)=>t.from+(n-e.left)/e.plotWidth*(t.until-t.from),W=(e,t,n)=>e.top+(n-t.row_from)/(t.row_until-t.row_from)*e.plotHeight,Bt=(e,t,n)=>t.row_from+(n-e.top)/e.plotHeight*(t.row_until-t.row_from),G=(e,t)=>e.plotHeight/(t.row_until-t.row_from);function Vt(e,t,n){return n<e.mapHeight?t>=e.left&&t<=e.left+e.plotWidth?`map`:`none`:t>e.left+e.plotWidth?n>=e.top?`scroll`:`none`:n<e.axisTop+e.axisHeight?t>=e.left?`axis`:`none`:n<e.top?t>=e.left?`ruler`:`none`:t<e.left?`gutter`:`plot`}function Ht(e,t){let n=(e.until-e.from)/2,r=(e.row_until-e.row_from)/4;return{from:Math.max(t.from,Math.floor(e.from-n)),until:Math.min(t.until,Math.ceil(e.until+n)),row_from:Math.max(0,Math.floor(e.row_from-r)),row_until:Math.min(t.row_until,Math.ceil(e.row_until+r))}}function Ut(e,t,n){let r=(t.until-t.from)*1e-6;if(e.from>t.from+r||e.until<t.until-r||e.row_from>t.row_from+1e-6||e.row_until<t.row_until-1e-6)return!1;let i=e.nsPerPx/((t.until-t.from)/n.plotWidth),a=e.rowsPerPx/((t.row_until-t.row_from)/n.plotHeight);return i>.6&&i<1.25&&a>.75&&a<1.3}var K=R.ink,Wt=`11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`,q=`10px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`,Gt=105;function Kt(e,{layout:t,whole:n,window:r,pictures:i,ink:a}){let o=t.mapTop+3,s=t.mapHeight-6;e.fillStyle=a.compute,e.fillRect(t.left,o,t.plotWidth,s);let c=n.until-n.from,l=i.base;if(l){e.imageSmoothingEnabled=!0;let r=l.bitmap.width*Math.max(0,n.from-l.from)/(l.until-l.from),i=Math.min(l.bitmap.width-r,l.bitmap.width*c/(l.until-l.from));e.drawImage(l.bitmap,r,0,i,l.bitmap.height,t.left,o,t.plotWidth,s)}let u=t.left+(r.from-n.from)/c*t.plotWidth,d=Math.max(u+2,t.left+(r.until-n.from)/c*t.plotWidth);(u>t.left||d<t.left+t.plotWidth-.5)&&(e.fillStyle=a.shade,e.fillRect(t.left,o,u-t.left,s),e.fillRect(d,o,t.left+t.plotWidth-d,s),e.strokeStyle=a.accent,e.lineWidth=2,e.strokeRect(u,o-1,d-u,s+2)),e.font=q,e.textAlign=`right`,e.textBaseline=`middle`,e.fillStyle=a.muted,e.fillText(`whole run`,t.left-6,o+s/2)}function qt(e,t,n){let r=Ot(t-e,n),i=kt(e,t,n);if(r>=1e5)return{base:null,step:r,ticks:i,texts:i.map(e=>C(e,r))};let a=10**Math.ceil(Math.log10(t-e)),o=Math.floor(e/a)*a;return{base:o,step:r,ticks:i,texts:i.map(e=>`+${v(Math.round((e-o)*1e3)/1e3)}`)}}function Jt(e,{layout:t,window:n,ink:r}){let i=t.axisTop,{base:a,ticks:o,texts:s}=qt(n.from,n.until,Math.max(2,t.plotWidth/Gt));e.strokeStyle=r.line,e.lineWidth=1,e.font=Wt,e.textBaseline=`middle`,e.textAlign=`left`,o.forEach((a,o)=>{let c=Math.round(U(t,n,a))+.5;e.beginPath(),e.moveTo(c,i+4),e.lineTo(c,i+t.axisHeight),e.stroke(),c+60>t.left+t.plotWidth||(e.fillStyle=r.muted,e.fillText(s[o],c+4,i+t.axisHeight/2+1))}),a!==null&&(e.textAlign=`right`,e.fillStyle=r.text,e.font=q,e.fillText(C(a,10**Math.floor(Math.log10(Math.max(1,n.until-n.from)))),t.left-4,i+t.axisHeight/2+1,t.left-6))}function Yt(e,{app:t,layout:n,window:r,ink:i}){let a=t.run?.iterations;if(!a||!n.rulerHeight)return;let o=n.rulerTop,s=n.rulerHeight-3,{from_ns:c,until_ns:l,phases:u}=a;e.font=q,e.textBaseline=`middle`,e.textAlign=`right`,e.fillStyle=i.muted,e.fillText(`iteration`,n.left-6,o+s/2),e.save(),e.beginPath(),e.rect(n.left,o,n.plotWidth,s),e.clip();let d=Xt(l,r.from),f=(c.length>1?(c[c.length-1]-c[0])/(c.length-1):r.until-r.from)/(r.until-r.from)*n.plotWidth,p=f>=3?1:Math.ceil(3/Math.max(f,1e-9)),m=p*Math.max(1,Ot(Math.ceil(34/Math.max(f,1e-9)/p),1));d=Math.max(0,d-d%p);let h=function*(e){for(let t=d-d%e;t<c.length&&c[t]<r.until;t+=e)yield[t,U(n,r,c[t]),U(n,r,l[Math.min(t+e-1,l.length-1)])]};for(let[t,n,r]of h(p))if(e.fillStyle=i.phases[t/p%2],e.fillRect(n,o,Math.max(1,r-n),s),!(!u||r-n<160))for(let t of u){let a=n+(r-n)*t.from;e.fillStyle=i.muted,e.fillRect(a,o,1,s);let c=t.name.replace(/^computation between .*/,`computation`);a>n+20&&(r-n)*(t.until-t.from)>e.measureText(c).width+8&&(e.textAlign=`left`,e.fillText(c,a+4,o+s/2+.5))}e.fillStyle=i.text,e.textAlign=`left`;let g=n.left;for(let[t,r,i]of h(m)){let a=Math.max(r,n.left)+3;i<=n.left||a<g||(e.fillText(String(t),a,o+s/2+.5),g=a+e.measureText(String(t)).width+8)}e.restore()}function Xt(e,t){let n=0,r=e.length;for(;n<r;){let i=n+r>>1;e[i]<t?n=i+1:r=i}return n}function Zt(e,{app:t,layout:n,window:r,ink:i}){let a=G(n,r);e.save(),e.beginPath(),e.rect(0,n.top,n.left,n.plotHeight),e.clip();let o=t.order?.value??null,s=0;if(o)for(let e of o)s=Math.max(s,e);let c=a>=13?1:Math.max(1,Ot(Math.ceil(13/a),1)),l=t.store.state.selection?t.positions[t.store.state.selection.rank]??-1:-1;e.font=Wt,e.textAlign=`right`,e.textBaseline=`middle`;for(let u=Math.max(0,Math.floor(r.row_from/c)*c);u<Math.min(t.rows,r.row_until);u+=c){let d=W(n,r,u),f=l>=u&&l<u+c;if(o&&s>0){e.fillStyle=i.line;let t=(o[u]??0)/s*(n.left-n.groupWidth-4);e.fillRect(n.left-2-t,d+1,t,Math.max(1,a*c-2))}e.fillStyle=f?i.accent:i.text;let p=t.worldRank(t.rankAt(f&&c>1?l:u));e.fillText(String(p),n.left-6,d+Math.max(a/2,6)+.5)}Qt(e,t.order?.groups??[],{l:n,w:r,ink:i}),e.restore(),e.fillStyle=i.muted,e.font=q,n.rulerHeight||(e.textAlign=`right`,e.fillText(`rank`,n.left-6,n.top-5)),e.fillStyle=i.line,e.fillRect(n.left-1,n.top,1,n.plotHeight)}function Qt(e,t,{l:n,w:r,ink:i}){t.forEach((t,a)=>{let o=Math.max(n.top,W(n,r,t.from)),s=Math.min(n.top+n.plotHeight,W(n,r,t.until));s<=o||(e.fillStyle=i.phases[a%2],e.fillRect(0,o,n.groupWidth-2,s-o-1),e.fillStyle=i.text,e.font=q,s-o<30||(e.save(),e.translate(n.groupWidth/2-1,(o+s)/2),e.rotate(-Math.PI/2),e.textAlign=`center`,e.fillText(t.text,0,0,s-o-4),e.restore()))})}function $t(e,{whole:t,window:n,layout:r,ink:i}){let a=t.row_until-t.row_from;if(n.row_until-n.row_from>=a-1e-6)return;let o=r.left+r.plotWidth+2,s=r.top+(n.row_from-t.row_from)/a*r.plotHeight,c=Math.max(12,(n.row_until-n.row_from)/a*r.plotHeight);e.fillStyle=i.faint,e.fillRect(o,r.top,7,r.plotHeight),e.fillStyle=i.muted,e.fillRect(o,Math.min(s,r.top+r.plotHeight-c),7,c)}function en({app:e,window:t,pictures:n}){let r=`${Math.max(0,Math.floor(t.row_from))} to ${Math.max(0,Math.ceil(t.row_until)-1)}`,i=(t.until-t.from)/1e3,a=n.cells?`, about ${x(n.cells.head.calls_total)} calls`:``;return`Timeline of ${e.store.state.order?`rows`:`ranks`} ${r} from ${C(t.from,i)} to ${C(t.until,i)}${a}`}function tn(e,t,n,r,i){let a=-1,o=1/0;for(let s=0;s<e.length;s++){if(e.rank[s]!==t||i(e.function[s]))continue;let c=e.start_ns[s],l=c+e.duration_ns[s],u=n<c?c-n:n>l?n-l:0;if(u>r)continue;let d=u*1e6+e.duration_ns[s];d<o&&(o=d,a=s)}return a}function nn(e,t,n){let{head:r}=e;if(!e.offset.length)return null;let i=Math.floor((t-r.row_from)/r.rows_per_block),a=Math.floor((n-r.from_ns)/r.bin_ns);if(i<0||i>=r.rows||a<0||a>=r.columns_count)return null;let o=i*r.columns_count+a,s=[],c=0;for(let t=e.offset[o];t<e.offset[o+1];t++){let n=e.share[t]/65535;e.function[t]===65535?c=n:s.push({id:e.function[t],share:n})}return s.sort((e,t)=>t.share-e.share||e.id-t.id),{row_from:r.row_from+i*r.rows_per_block,row_until:r.row_from+(i+1)*r.rows_per_block,from:r.from_ns+a*r.bin_ns,until:r.from_ns+(a+1)*r.bin_ns,shares:s,waiting:c,calls:e.calls[o],longest_ns:e.longest_ns[o],longest_rank:e.longest_rank[o],longest_row:e.longest_row[o]}}var rn={u8:Uint8Array,u16:Uint16Array,u32:Uint32Array,i32:Int32Array,f32:Float32Array,f64:Float64Array},an=826692429,on=e=>e+7&-8,J=class extends Error{};function sn(e){if(e.byteLength<8)throw new J(`the answer is shorter than a frame's beginning`);let t=new DataView(e);if(t.getUint32(0,!0)!==an)throw new J(`the answer is no frame`);let n=t.getUint32(4,!0);if(8+n>e.byteLength)throw new J(`the frame's head is cut off`);let r;try{r=JSON.parse(new TextDecoder().decode(new Uint8Array(e,8,n)))}catch{throw new J(`the frame's head is no JSON`)}let i=r.columns;if(!Array.isArray(i))throw new J(`the frame's head names no columns`);let a=new Map,o=on(8+n);for(let t of i){let n=rn[t.type];if(!n)throw new J(`the frame has a column of unknown type ${t.type}`);let r=o+t.length*n.BYTES_PER_ELEMENT;if(r>e.byteLength)throw new J(`the frame is cut off in column ${t.name}`);a.set(t.name,new n(e,o,t.length)),o=on(r)}return{head:r,columns:a,buffer:e}}function Y(e,t){let n=e.columns.get(t);if(!n)throw new J(`the frame has no column ${t}`);return n}function cn(e){let t=[];for(let[n,r]of Object.entries(e).sort(([e],[t])=>e<t?-1:1)){if(r==null||r===``)continue;let e;if(Array.isArray(r)){if(r.length===0)continue;e=r.join(`,`)}else e=typeof r==`boolean`?r?`1`:`0`:String(r);t.push(`${n}=${encodeURIComponent(e)}`)}return t.length?`?${t.join(`&`)}`:``}var ln=class{#e;constructor(e){this.#e=e.endsWith(`/`)?e:`${e}/`}async#t(t,n,r){let a;try{a=await fetch(`${this.#e}${t}${cn(n)}`,r?{signal:r}:{})}catch(t){throw c(t)?t:e(t)}if(a.ok)return a;let o=await a.json().catch(()=>null);throw new i(a.status,o?.error?.what??`mpiscope answered ${a.status} ${a.statusText}`,o?.error?.next??"Start `mpiscope view` again and open the address it prints.")}async#n(e,t,n){return await(await this.#t(e,t,n)).json()}async#r(e,t,n){return sn(await(await this.#t(e,t,n)).arrayBuffer())}run(e){return this.#n(`run`,{},e)}progress(e){return this.#n(`progress`,{},e)}offers(e){return this.#n(`offers`,{},e)}report(e){return this.#n(`report`,{brief:!0},e)}async order(e,t){let n=await this.#r(`order`,{order:e},t);return{groups:n.head.groups??[],unit:n.head.unit??null,ranks:Y(n,`rank`),value:n.columns.get(`value`)??null}}async cells(e,t){return un((await this.#t(`cells`,e,t)).arrayBuffer())}async calls(e,t){let n=await this.#r(`calls`,e,t),r=Y(n,`start_ns`);return{head:n.head,length:r.length,rank:Y(n,`rank`),thread:Y(n,`thread`),row:Y(n,`row`),start_ns:r,duration_ns:Y(n,`duration_ns`),function:Y(n,`function`),count:Y(n,`count`),comm:Y(n,`comm`),peer:Y(n,`peer`),tag:Y(n,`tag`),bytes_sent:Y(n,`bytes_sent`),bytes_received:Y(n,`bytes_received`),site:Y(n,`site`),region:Y(n,`region`),flags:Y(n,`flags`)}}async messages(e,t){let n=await this.#r(`messages`,e,t),r=Y(n,`sender`);return{head:n.head,length:r.length,sender:r,receiver:Y(n,`receiver`),send_row:Y(n,`send_row`),receive_row:Y(n,`receive_row`),sent_ns:Y(n,`sent_ns`),received_ns:Y(n,`received_ns`),bytes:Y(n,`bytes`),tag:Y(n,`tag`)}}async collectives(e,t){let n=await this.#r(`collectives`,e,t);return{head:n.head,operation:Y(n,`operation`),function:Y(n,`function`),comm:Y(n,`comm`),member_offset:Y(n,`member_offset`),rank:Y(n,`rank`),row:Y(n,`row`),start_ns:Y(n,`start_ns`),end_ns:Y(n,`end_ns`)}}async waits(e,t){let n=await this.#r(`waits`,e,t),r=Y(n,`rank`);return{head:n.head,length:r.length,rank:r,start_ns:Y(n,`start_ns`),end_ns:Y(n,`end_ns`),kind:Y(n,`kind`),cause_rank:Y(n,`cause_rank`)}}async regions(e,t){let n=await this.#r(`regions`,e,t),r=Y(n,`rank`);return{length:r.length,rank:r,region:Y(n,`region`),depth:Y(n,`depth`),start_ns:Y(n,`start_ns`),end_ns:Y(n,`end_ns`)}}async path(e){let t=await this.#r(`path`,{},e),n=Y(t,`rank`);return{length:n.length,rank:n,from_ns:Y(t,`from_ns`),until_ns:Y(t,`until_ns`)}}call(e,t){return this.#n(`call`,{rank:e.rank,row:e.row},t)}step(e,t,n,r={},i){return this.#n(`step`,{rank:e.rank,row:e.row,by:t,direction:n,...r},i)}find(e,t,n,r){return this.#n(`find`,{...n,text:e,direction:t},r)}async scatter(e,t){let n=await this.#r(`scatter`,e,t),{x_axis:r,y_axis:i,total:a,form:o,fit:s}=n.head,c=o===`points`;return{x:r,y:i,total:a,form:o,fit:s??null,points:c?{x:Y(n,`x`),y:Y(n,`y`),rank:Y(n,`rank`),row:Y(n,`row`),function:Y(n,`function`)}:null,density:c?null:{width:n.head.width??e.width,height:n.head.height??e.height,count:Y(n,`count`),function:Y(n,`function`)}}}histogram(e,t){return this.#n(`histogram`,e,t)}groups(e,t){return this.#n(`groups`,e,t)}async matrix(e,t){let n=await this.#r(`matrix`,e,t);return{rows:n.head.rows,labels:n.head.labels,ranks_per_block:n.head.ranks_per_block,sender:Y(n,`sender`),receiver:Y(n,`receiver`),count:Y(n,`count`),bytes:Y(n,`bytes`),longest_ns:Y(n,`longest_ns`),latency_ns:Y(n,`latency_ns`)}}};async function un(e){return dn(await e)}function dn(e){let t=sn(e);return{head:t.head,offset:Y(t,`offset`),function:Y(t,`function`),share:Y(t,`share`),calls:Y(t,`calls`),longest_ns:Y(t,`longest_ns`),longest_rank:Y(t,`longest_rank`),longest_row:Y(t,`longest_row`),buffer:e}}var fn=class{#e=new Worker(new URL(new URL(`raster.worker.js`,import.meta.url).href,``+import.meta.url),{type:`module`,name:`raster`});#t=new Map;#n=0;constructor(){this.#e.onmessage=e=>{this.#t.get(e.data.id)?.(e.data),this.#t.delete(e.data.id)}}draw(e,t=[]){let n=this.#n++;return new Promise(r=>{this.#t.set(n,r),this.#e.postMessage({...e,id:n},t)})}close(){this.#e.terminate()}},pn=65536;function mn(e,t,n,r,i){let a=new Uint32Array(pn),o=new Uint32Array(pn),s=t===null?null:new Set(t),c=new Map(e.classes.map((e,t)=>[e.id,t]));for(let t of e.functions)o[t.id]=(c.get(t.class)??255)*pn+t.id,(!s||s.has(t.id))&&(a[t.id]=yt(n===`class`?B(t.class,r):xt(t.id,t.class,r)));return{colours:a,places:o,compute:yt(pt[r]),hatch:yt(mt[r]),hasWaits:i}}var hn=4e4,gn=2e3,_n=500,vn=60,yn=.34,bn=36;function xn(e){return e>=16?Math.min(bn,Math.floor(e*yn)):0}var Sn=class{#e;#t;#n;#r;#i;#a;#o;#s;#c;#l;#u;#d;#f;#p;#m;#h;#g;#_;#v;#y;constructor(e,t){this.base=null,this.near=null,this.single=null,this.cells=null,this.calls=null,this.isSingle=!1,this.waits=null,this.messages=null,this.collectives=null,this.regions=null,this.path=null,this.error=null,this.isBusy=!1,this.#n=new fn,this.#r=new m,this.#i=new m,this.#a=new m,this.#o=null,this.#s=0,this.#c=null,this.#l=``,this.#u=null,this.#d=``,this.#f=null,this.#p=null,this.#m=null,this.#h=!1,this.#g=0,this.#_=``,this.#v=!1,this.#y=null,this.#e=e,this.#t=t}close(){this.#r.cancel(),this.#i.cancel(),this.#a.cancel(),this.#o!==null&&clearTimeout(this.#o),this.#n.close()}get#b(){let{order:e,filter:t}=this.#e.store.state;return JSON.stringify([e,t,this.#e.growth,this.#e.rows])}update(e,t){let n=this.#e;if(!n.run||n.run.state===`failed`||n.rows===0)return;this.#p=e;let r=this.#f?.plotWidth!==t.plotWidth||this.#f?.plotHeight!==t.plotHeight;this.#f=t;let i=n.store.state,a=i.layers,o=JSON.stringify([i.hidden,i.filter.functions,i.colouring,n.theme,a.includes(`waits`),a.includes(`regions`),n.run.functions.length]),s=this.#b;o!==this.#d&&(this.#d=o,this.#u=mn(n.run,de(i,n.run.functions),i.colouring,n.theme,a.includes(`waits`)),this.cells&&this.#D(),this.#l=``),(s!==this.#l||r)&&(this.#l=s,this.#T()),a.includes(`path`)&&!this.#v&&n.run.is_explained&&this.#E();let c=this.#c;if((this.#y===null||Cn(e,this.#y))&&c&&c.data===s&&Ut({...c.window,nsPerPx:c.nsPerPx,rowsPerPx:c.rowsPerPx},e,t))return;let l=JSON.stringify([i.order,i.filter]);l!==this.#_&&(this.#_=l,this.near=null,this.#C()),this.#x()}#x(){if(this.#o!==null)return;let e=Math.max(0,this.#s+vn-performance.now());this.#o=setTimeout(()=>{this.#o=null,this.#S()},e)}async#S(){let t=this.#e,n=this.#f,r=this.#p;if(!n||!r||!t.run)return;this.#s=performance.now();let i=Ht(r,t.whole),a=devicePixelRatio||1,o=(i.until-i.from)/(r.until-r.from),s=(i.row_until-i.row_from)/(r.row_until-r.row_from),l=(r.until-r.from)/n.plotWidth,u=(r.row_until-r.row_from)/n.plotHeight,d=this.#b;this.#c={window:i,nsPerPx:l,rowsPerPx:u,data:d},this.isBusy=!0,this.#t();try{await this.#r.run(async e=>{let{order:r,filter:c}=t.store.state,d=await t.client.cells({from:Math.floor(i.from),until:Math.ceil(i.until),columns:Math.min(4096,Math.max(16,Math.round(n.plotWidth*o*a))),row_from:i.row_from,row_until:i.row_until,rows:Math.min(2048,Math.max(1,Math.round(n.plotHeight*s))),order:r,functions:c.functions},e);if(e.aborted)return;this.error=null,this.cells=d;let f=d.head.calls_total<=hn,p=this.#O(d,l,u);await Promise.all([p,f||Fe(c)&&!Ie(c)?this.#w(i,e):this.#C()])})}catch(t){c(t)||(this.error=e(t))}this.isBusy=this.#r.isBusy,this.#t()}#C(){this.single=null,this.calls=null,this.isSingle=!1,this.waits=null,this.messages=null,this.#y=null,this.collectives=null,this.regions=null}async#w(e,t){let n=this.#e,r=n.run;if(r.state!==`ready`)return;let{order:i,filter:a}=n.store.state,o={from:Math.floor(e.from),until:Math.ceil(e.until),row_from:e.row_from,row_until:e.row_until,order:i},s=hn,[c,l,u,d,f]=await Promise.all([n.client.calls({...a,...o,limit:s},t),n.client.waits({...o,limit:s},t).catch(wn),n.client.messages({...o,limit:gn},t).catch(wn),n.client.collectives({...o,limit:_n},t).catch(wn),r.regions.length?n.client.regions({...o,limit:hn},t).catch(wn):null]);if(t.aborted)return;let p=this.#p,m={...o,from:Math.floor(p.from),until:Math.ceil(p.until),row_from:Math.floor(p.row_from),row_until:Math.ceil(p.row_until)},h=u?.head.is_cut?await n.client.messages({...m,limit:gn},t).catch(wn):null;t.aborted||(this.calls=c,this.waits=l,this.messages=h??u,this.#y=h&&!h.head.is_cut?m:null,this.collectives=d,this.regions=f,this.isSingle=!c.head.is_cut,this.#m=e,await this.#k())}async#T(){let t=this.#e,n=this.#f,r=t.whole;try{await this.#i.run(async e=>{let{order:i,filter:a}=t.store.state,o=await t.client.cells({from:r.from,until:r.until,columns:Math.min(2048,Math.max(16,n.plotWidth)),row_from:0,row_until:r.row_until,rows:64,order:i,functions:a.functions},e),s=Math.max(1,Math.min(6,Math.floor(192/Math.max(1,o.head.rows)))),{head:c}=o,l=await this.#n.draw({kind:`cells`,buffer:o.buffer,rowPx:s,style:{...this.#u,hasWaits:!1}},[o.buffer]);!e.aborted&&l.bitmap&&(this.base={bitmap:l.bitmap,from:c.from_ns,until:c.from_ns+c.columns_count*c.bin_ns,row_from:c.row_from,row_until:c.row_from+c.rows*c.rows_per_block,nsPerPx:c.bin_ns,rowsPerPx:c.rows_per_block/s},this.#t())})}catch(t){c(t)||(this.error=e(t),this.#t())}}async#E(){this.#v=!0;try{let e=await this.#a.run(e=>this.#e.client.path(e));e&&(this.path=e),e&&!e.length&&this.#e.say(`The critical path of this run is not known.`)}catch(e){this.#e.fail(e)}this.#t()}async#D(){let e=this.#c;this.cells&&e&&!this.#h&&await this.#O(this.cells,e.nsPerPx,e.rowsPerPx),this.calls&&await this.#k()}async#O(e,t,n){let{head:r}=e;if(!r.rows||!r.columns_count)return;let i=Math.max(1,Math.min(64,Math.round(r.rows_per_block/n)));this.#h=!0;let a=await this.#n.draw({kind:`cells`,buffer:e.buffer,rowPx:i,style:this.#u},[e.buffer]);if(this.#h=!1,a.error)throw Error(a.error);if(this.cells===e&&a.buffer)this.cells=dn(a.buffer);else return;this.near={bitmap:a.bitmap,from:r.from_ns,until:r.from_ns+r.columns_count*r.bin_ns,row_from:r.row_from,row_until:r.row_from+r.rows*r.rows_per_block,nsPerPx:t,rowsPerPx:n},this.#t()}async#k(){let e=this.#e,{calls:t,waits:n}=this,r=this.#m,i=this.#p,a=this.#f;if(!t||!r||!i||!a||!e.run)return;let o=++this.#g,s=Math.max(1,Math.min(64,Math.round(G(a,i)))),c=(i.until-i.from)/a.plotWidth,l=Math.max(1,Math.min(8192,Math.round((r.until-r.from)/c*(devicePixelRatio||1)))),u=e.store.state.layers.includes(`regions`)&&e.run.regions.length>0,d=await this.#n.draw({kind:`calls`,calls:{length:t.length,rank:t.rank,thread:t.thread,start_ns:t.start_ns,duration_ns:t.duration_ns,function:t.function,flags:t.flags},waits:n?{length:n.length,rank:n.rank,start_ns:n.start_ns,end_ns:n.end_ns}:null,view:{...r,width:l,rowPx:s,positions:e.positions,threads:Uint16Array.from(e.run.ranks.threads),free:u?xn(s):0,isFaded:!this.isSingle||this.isFaded},style:this.#u});d.bitmap&&o===this.#g&&this.calls===t&&(this.single={...r,bitmap:d.bitmap,nsPerPx:c,rowsPerPx:1/s},this.#t())}get isFaded(){let{filter:e}=this.#e.store.state;return Fe(e)&&!Ie(e)}},Cn=(e,t)=>e.from>=t.from&&e.until<=t.until&&e.row_from>=t.row_from&&e.row_until<=t.row_until;function wn(e){if(c(e))throw e;return null}var Tn=e=>e>=12?2:+(e>=5),En=34,Dn=1200;function On(e,t){let{app:n,layout:r,window:i,pictures:a}=t,o=a.calls,s=G(r,i);if(!o||!a.single||s<12||!a.isSingle&&!a.isFaded)return;let c=n.store.state,l=new Set(c.hidden),u=c.layers.includes(`regions`)&&n.run?.regions.length?xn(s):0,d=(i.until-i.from)/r.plotWidth*En;e.font=q,e.textBaseline=`middle`,e.textAlign=`left`;let f=0;for(let t=0;t<o.length&&f<Dn;t++){let a=o.duration_ns[t];if(a<d||l.has(o.function[t]))continue;let p=o.rank[t];if((n.run?.ranks.threads[p]??1)>1&&s/n.run.ranks.threads[p]<12)continue;let m=n.positions[p]??-1;if(m+1<=i.row_from||m>=i.row_until||m<0)continue;let h=Math.max(r.left,U(r,i,o.start_ns[t])),g=Math.min(r.left+r.plotWidth,U(r,i,o.start_ns[t]+a));if(g-h<En)continue;let _=o.function[t],y=n.names?.classOf(_)??`local`,ee=c.colouring===`class`?B(y,n.theme):xt(_,y,n.theme),b=n.names?.short(_)??``,x=`${b}  ${v(a)}`,S=n.run?.ranks.threads[p]??1,te=(s-Tn(s)-u)/S,ne=W(r,i,m)+u+te*(o.thread[t]+.5),C=g-h-8,w=e.measureText(x).width<=C?x:An(e,b,C);if(!w)continue;let re=e.measureText(w).width;e.fillStyle=kn(ee),e.fillRect(h+2,ne-6,re+4,12),e.fillStyle=St(ee),e.fillText(w,h+4,ne+.5),f++}}var kn=e=>`#${e.toString(16).padStart(6,`0`)}`;function An(e,t,n){if(e.measureText(t).width<=n)return t;for(let r=t.length-1;r>=3;r--){let i=`${t.slice(0,r)}…`;if(e.measureText(i).width<=n)return i}return``}function jn(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.regions,c=xn(G(r,i));if(!s||!c)return;let l=0;for(let e of s.depth)l=Math.max(l,e);let u=Math.max(2,Math.min(13,Math.floor(c/(l+1))));e.font=q,e.textBaseline=`middle`,e.textAlign=`left`;for(let t=0;t<s.length;t++){let a=n.positions[s.rank[t]]??-1;if(a<0||a+1<=i.row_from||a>=i.row_until)continue;let c=Math.max(r.left-2,U(r,i,s.start_ns[t])),l=Math.min(r.left+r.plotWidth+2,U(r,i,s.end_ns[t]));if(l<=c)continue;let d=W(r,i,a)+s.depth[t]*u;e.fillStyle=o.phases[(s.region[t]+s.depth[t])%2],e.fillRect(c,d,Math.max(1,l-c),u-1),e.fillStyle=o.muted,e.fillRect(c,d,1,u-1),u>=10&&l-c>30&&(e.fillStyle=o.text,e.fillText(An(e,n.names?.region(s.region[t])??``,l-c-6),Math.max(c,r.left)+3,d+u/2))}}function Mn(e,t,n,r,i,a){if(e.beginPath(),e.moveTo(t,n),e.lineTo(r,i),e.stroke(),!a)return;let o=Math.atan2(i-n,r-t);e.beginPath(),e.moveTo(r,i),e.lineTo(r-6*Math.cos(o-.4),i-6*Math.sin(o-.4)),e.lineTo(r-6*Math.cos(o+.4),i-6*Math.sin(o+.4)),e.fill()}function Nn(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.messages,c=G(r,i)/2;if(s&&!s.head.is_cut&&n.store.state.layers.includes(`messages`)){e.strokeStyle=o.arrow,e.fillStyle=o.arrow,e.lineWidth=1;let t=(i.until-i.from)/r.plotWidth;for(let a=0;a<s.length;a++){let o=n.positions[s.sender[a]]??-1,l=n.positions[s.receiver[a]]??-1;if(o<0||l<0)continue;let u=s.sent_ns[a],d=s.received_ns[a];if(d<i.from||u>i.until||Math.max(o,l)+1<i.row_from||Math.min(o,l)>i.row_until)continue;let f=s.length<600||d-u>t*12;Mn(e,U(r,i,u),W(r,i,o)+c,U(r,i,d),W(r,i,l)+c,f)}}let l=n.detail;if(l){e.strokeStyle=o.accent,e.fillStyle=o.accent,e.lineWidth=2;for(let t of l.messages){let a=n.positions[l.rank]??-1,o=n.positions[t.rank]??-1;if(a<0||o<0||t.sent_ns===null||t.received_ns===null)continue;let[s,u]=t.direction.startsWith(`s`)?[a,o]:[o,a];Mn(e,U(r,i,t.sent_ns),W(r,i,s)+c,U(r,i,t.received_ns),W(r,i,u)+c,!0)}}}var Pn=null;function Fn(e,t){if(Pn?.found===e&&Pn.positions===t)return Pn.operations;let n=n=>t[e.rank[n]]??-1,r=Array.from(e.operation,(t,r)=>{let i=Int32Array.from({length:e.member_offset[r+1]-e.member_offset[r]},(t,n)=>e.member_offset[r]+n).filter(e=>n(e)>=0).sort((e,t)=>n(e)-n(t));return{members:i,rows:i.map(n)}});return Pn={found:e,positions:t,operations:r},r}function In(e,t){let{app:n,layout:r,window:i,pictures:a,ink:o}=t,s=a.collectives;if(!s||s.head.is_cut)return;let c=G(r,i)/2;e.strokeStyle=o.collective,e.lineWidth=1;let l=Math.max(1,Math.floor(1/G(r,i)));for(let{rows:t,members:a}of Fn(s,n.positions)){let n=Math.max(0,Xt(t,i.row_from-1)-1),o=Math.min(t.length-1,Xt(t,i.row_until));if(!(n>o||a.length<2))for(let u of[s.start_ns,s.end_ns]){e.setLineDash(u===s.start_ns?[]:[3,2]),e.beginPath();for(let s=n;s<=o;s+=s+l>o&&s<o?o-s:l){let o=U(r,i,u[a[s]]),l=W(r,i,t[s])+c;s===n?e.moveTo(o,l):e.lineTo(o,l)}e.stroke()}}e.setLineDash([])}function Ln(e,{app:t,layout:n,window:r,pictures:i,ink:a}){let o=i.path;if(!o?.length)return;let s=G(n,r)/2;e.strokeStyle=a.path,e.lineWidth=Math.min(3,Math.max(1.5,s/3)),e.lineJoin=`round`,e.beginPath();let c=!1,l=-1/0;for(let i=Math.max(0,Xt(o.until_ns,r.from)-1);i<o.length&&o.from_ns[i]<=r.until;i++){let a=t.positions[o.rank[i]]??-1;if(a<0){c=!1;continue}let u=W(n,r,a)+s,d=Math.max(U(n,r,o.from_ns[i]),n.left-10),f=Math.min(U(n,r,o.until_ns[i]),n.left+n.plotWidth+10);c&&f-l<.5||(c?e.lineTo(d,u):e.moveTo(d,u),e.lineTo(f,u),l=f,c=!0)}e.stroke()}function Rn(e,{app:t,layout:n,window:r,ink:i}){let a=t.detail,o=t.store.state.selection;if(!a||!o||a.rank!==o.rank||a.row!==o.row)return;let s=t.positions[a.rank]??-1;if(s<0)return;let c=Math.max(n.left-4,U(n,r,a.start_ns)),l=Math.min(n.left+n.plotWidth+4,U(n,r,a.start_ns+a.duration_ns)),u=W(n,r,s),d=Math.max(4,G(n,r)-Tn(G(n,r)));e.strokeStyle=i.panel,e.lineWidth=4,e.strokeRect(c-1,u-1,Math.max(3,l-c+2),d+2),e.strokeStyle=i.selection,e.lineWidth=2,e.strokeRect(c-1,u-1,Math.max(3,l-c+2),d+2)}function zn(e,{app:t,layout:n,window:r,drag:i,ink:a}){let o=i??t.store.state.area;if(!o)return;let s=U(n,r,o.from),c=U(n,r,o.until),l=o.row_from===null?n.top:W(n,r,o.row_from),u=o.row_until===null?n.top+n.plotHeight:W(n,r,o.row_until);e.fillStyle=a.shade;let{left:d,top:f,plotWidth:p,plotHeight:m}=n,h=e=>Math.max(d,Math.min(d+p,e)),g=e=>Math.max(f,Math.min(f+m,e));e.fillRect(d,f,p,g(l)-f),e.fillRect(d,g(u),p,f+m-g(u)),e.fillRect(d,g(l),h(s)-d,g(u)-g(l)),e.fillRect(h(c),g(l),d+p-h(c),g(u)-g(l)),e.strokeStyle=a.accent,e.lineWidth=1.5,e.strokeRect(s,l,c-s,u-l);let _=v(o.until-o.from);e.font=q,e.textAlign=`center`,e.textBaseline=`top`;let y=e.measureText(_).width+8,ee=Math.max(d+y/2,Math.min(d+p-y/2,(h(s)+h(c))/2));e.fillStyle=a.panel,e.fillRect(ee-y/2,g(l)+2,y,14),e.fillStyle=a.text,e.fillText(_,ee,g(l)+4)}function Bn(e,{hover:t,layout:n,ink:r}){!t||t.y<n.top||(e.fillStyle=r.shade,e.fillRect(Math.round(t.x),n.top,1,n.plotHeight))}var Vn=.22;function Hn(e,t){let{layout:n,ink:r}=t;e.fillStyle=r.panel,e.fillRect(0,0,n.width,n.height),e.save(),e.beginPath(),e.rect(n.left,n.top,n.plotWidth,n.plotHeight),e.clip(),Un(e,t),Gn(e,t),t.app.store.state.layers.includes(`regions`)&&jn(e,t),t.app.store.state.layers.includes(`collectives`)&&In(e,t),t.app.store.state.layers.includes(`path`)&&Ln(e,t),Nn(e,t),On(e,t),Rn(e,t),zn(e,t),Bn(e,t),e.restore(),Kt(e,t),Jt(e,t),Yt(e,t),Zt(e,t),$t(e,t)}function Un(e,t){let{layout:n,pictures:r,window:i,ink:a}=t;e.fillStyle=a.background,e.fillRect(n.left,n.top,n.plotWidth,n.plotHeight),e.imageSmoothingEnabled=!1;let o=r.isFaded;e.globalAlpha=o?Vn:1;let s=r.near,c=s!==null&&s.from<=i.from&&s.until>=i.until&&s.row_from<=i.row_from&&s.row_until>=i.row_until;r.base&&!c&&Wn(e,t,r.base),s&&Wn(e,t,s),e.globalAlpha=1,r.single&&(r.isSingle||o)&&Wn(e,t,r.single)}function Wn(e,t,n){let{layout:r,window:i}=t,a=Math.max(n.from,i.from-(i.until-i.from)*.01),o=Math.min(n.until,i.until+(i.until-i.from)*.01),s=Math.max(n.row_from,Math.floor(i.row_from)),c=Math.min(n.row_until,Math.ceil(i.row_until));if(a>=o||s>=c)return;let l=n.bitmap.width*(a-n.from)/(n.until-n.from),u=n.bitmap.width*(o-a)/(n.until-n.from),d=n.bitmap.height*(s-n.row_from)/(n.row_until-n.row_from),f=n.bitmap.height*(c-s)/(n.row_until-n.row_from),p=U(r,i,a),m=W(r,i,s);e.drawImage(n.bitmap,l,d,u,f,p,m,U(r,i,o)-p,W(r,i,c)-m)}function Gn(e,t){let{app:n,layout:r,window:i,ink:a}=t,o=n.run?.ranks;if(!o)return;let s=G(r,i);if(s<.5)return;let c=qn(e,a.absent);for(let t=Math.max(0,Math.floor(i.row_from));t<Math.min(n.rows,Math.ceil(i.row_until));t++){let l=n.rankAt(t),u=W(r,i,t),d=s>=5?s-1:s,f=(o.first_ns??o.rows_from_ns)[l];if(f===void 0||!((o.calls_lost[l]??0)>0))continue;let p=U(r,i,f);p>r.left&&(e.fillStyle=c,e.fillRect(r.left,u,Math.min(p,r.left+r.plotWidth)-r.left,d)),p>=r.left&&p<=r.left+r.plotWidth&&(e.fillStyle=a.path,e.fillRect(p-1,u,2,d),s>=13&&p-r.left>120&&(e.font=`10px system-ui, sans-serif`,e.textBaseline=`middle`,e.textAlign=`right`,e.fillStyle=a.text,e.fillText(`overwritten ▸`,p-5,u+d/2)))}}var Kn=new Map;function qn(e,t){let n=Kn.get(t);if(n)return n;let r=t;if(typeof OffscreenCanvas<`u`){let n=new OffscreenCanvas(8,8),i=n.getContext(`2d`);i.strokeStyle=t,i.lineWidth=1;for(let e of[-8,0,8])i.beginPath(),i.moveTo(e,8),i.lineTo(e+8,0),i.stroke();r=e.createPattern(n,`repeat`)??t}return Kn.set(t,r),r}var Jn=7;function Yn(e,t){let{app:n}=e,i=n.names?.classOf(t)??`local`,a=n.store.state.colouring===`class`?B(i,n.theme):xt(t,i,n.theme);return r`<svg class="swatch" viewBox="0 0 9 9" aria-hidden="true"><rect width="9" height="9" fill=${z(a)}></rect></svg>`}function Xn(e,t,i){let{app:a,window:o,layout:s,pictures:c}=e,l=Math.floor(Bt(s,o,t.y)),u=zt(s,o,t.x),d=a.rankAt(l),f=C(u,(o.until-o.from)/s.plotWidth),p=r`<div class="muted number">rank ${a.worldRank(d)}, ${f}</div>`,{calls:m}=c;if(m&&(c.isSingle||c.isFaded)){let o=i(t.x,t.y);if(o<0)return r`${p}${Zn(e,d,u)??`computing`}`;let s=m.bytes_sent[o],c=m.bytes_received[o],l=m.peer[o],f=a.names?.comm(m.comm[o]);return r`${p}
      <b>${Yn(e,m.function[o])}${a.names?.function(m.function[o])}</b> ${v(m.duration_ns[o])}
      ${m.count[o]>1?r`<div>${b(m.count[o])} polls</div>`:n}
      <div class="muted">
        ${l>=0?r`peer ${a.worldRank(l)} `:n}${s?r`${y(s)} sent `:n}${c?r`${y(c)} received `:n}${f}
      </div>
      <div class="muted">${a.names?.site(m.site[o])}</div>`}let h=c.cells?nn(c.cells,l,u):null;if(!h)return p;let g=h.row_until-h.row_from>1?r`<div class="muted">${a.order?`rows`:`ranks`} ${h.row_from} to ${Math.min(a.rows,h.row_until)-1}</div>`:n,_=h.shares.reduce((e,t)=>e+t.share,0);return r`${p}${g}
    <table>
      ${h.shares.slice(0,Jn).map(t=>r`<tr><td>${Yn(e,t.id)}${a.names?.function(t.id)}</td><td class="number">${S(t.share)}</td></tr>`)}
      ${h.shares.length>Jn?r`<tr><td class="muted">and ${h.shares.length-Jn} more</td></tr>`:n}
      <tr><td>computing</td><td class="number">${S(Math.max(0,1-_))}</td></tr>
      ${h.waiting>0?r`<tr><td>waiting (inside of calls)</td><td class="number">${S(h.waiting)}</td></tr>`:n}
    </table>
    <div class="muted number">${b(h.calls)} calls begin here${h.longest_rank>=0?r`, the longest ${v(h.longest_ns)}`:n}</div>`}function Zn(e,t,n){let r=e.app.run?.ranks;if(!r)return null;let i=(r.first_ns??r.rows_from_ns)[t],a=r.calls_lost[t]??0;return i!==void 0&&a>0&&n<i?`overwritten: ${b(a)} calls of this rank are lost`:null}var Qn=8,X=class extends p{constructor(...e){super(...e),this.columns=[],this.count=0,this.label=`Table`,this.sort=null,this.isSelected=()=>!1,this.empty=`Nothing here.`,this.canActivate=!0,this.first=0,this.shown=40,this.active=0,this.#e=null}static{this.styles=[s,o`
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
    `]}#e;firstUpdated(){let e=this.#t();this.#e=new ResizeObserver(()=>this.#n()),this.#e.observe(e)}disconnectedCallback(){super.disconnectedCallback(),this.#e?.disconnect()}willUpdate(e){e.has(`count`)&&this.active>=this.count&&(this.active=Math.max(0,this.count-1))}#t(){return this.renderRoot.querySelector(`.scroll`)}#n(){let e=this.#t();this.first=Math.max(0,Math.floor(e.scrollTop/24)-Qn),this.shown=Math.ceil(e.clientHeight/24)+16}reveal(e){let t=this.#t();if(!t||e<0)return;let n=e*24;n<t.scrollTop?t.scrollTop=n:n+24+26>t.scrollTop+t.clientHeight&&(t.scrollTop=n+24+26-t.clientHeight),this.active=e}#r(e){this.active=e,this.dispatchEvent(new CustomEvent(`activate`,{detail:e}))}#i(e){if(e.ctrlKey||e.altKey||e.metaKey||e.target!==this.#t())return;let t=Math.max(1,Math.floor(this.#t().clientHeight/24)-1),n={ArrowDown:this.active+1,ArrowUp:this.active-1,PageDown:this.active+t,PageUp:this.active-t,Home:0,End:this.count-1}[e.key];if(n!==void 0)this.reveal(Math.max(0,Math.min(this.count-1,n)));else if((e.key===`Enter`||e.key===` `)&&this.canActivate&&this.count)this.#r(this.active);else if(e.key===`ArrowLeft`||e.key===`ArrowRight`)this.#t().scrollLeft+=e.key===`ArrowLeft`?-60:60;else return;e.preventDefault()}updated(){let e=this.columns.map(e=>e.width??(e.isNumber?`minmax(70px, 1fr)`:`minmax(110px, 2fr)`)).join(` `);for(let t of this.renderRoot.querySelectorAll(`.row`))t.style.gridTemplateColumns=e,t.dataset.index&&(t.style.top=`${Number(t.dataset.index)*24}px`);let t=this.renderRoot.querySelector(`.body`);t&&(t.style.height=`${this.count*24}px`)}render(){let e=Math.min(this.count,this.first+this.shown),t=[];for(let n=this.first;n<e;n++)t.push(this.#o(n));return r`<div
      class="scroll"
      role="grid"
      tabindex="0"
      aria-label=${this.label}
      aria-rowcount=${this.count+1}
      aria-colcount=${this.columns.length}
      aria-activedescendant=${this.count?`row-${this.active}`:n}
      @scroll=${()=>this.#n()}
      @keydown=${e=>this.#i(e)}
    >
      <div class="row head" role="row" aria-rowindex="1">${this.columns.map(e=>this.#a(e))}</div>
      <div class="body" role="rowgroup">${t.length?t:n}</div>
      ${this.count?n:r`<div class="empty" role="row"><span role="gridcell">${this.empty}</span></div>`}
    </div>`}#a(e){let t=this.sort?.id===e.id,i=t?this.sort.ascending?`ascending`:`descending`:n,a=r`${e.title}${t?this.sort.ascending?` ▴`:` ▾`:``}`;return r`<div class="cell ${e.isNumber?`number`:``}" role="columnheader" aria-sort=${i} title=${e.help??n}>
      ${e.isSortable?r`<button @click=${()=>this.dispatchEvent(new CustomEvent(`sort`,{detail:e.id}))}>${a}</button>`:r`<b>${a}</b>`}
    </div>`}#o(e){return r`<div
      class="row ${e===this.active?`active`:``}"
      role="row"
      id="row-${e}"
      data-index=${e}
      aria-rowindex=${e+2}
      aria-selected=${this.isSelected(e)?`true`:`false`}
      @click=${()=>this.canActivate&&this.#r(e)}
    >
      ${this.columns.map(t=>r`<div class="cell ${t.isNumber?`number`:``}" role="gridcell">${t.cell(e)}</div>`)}
    </div>`}};f([t({attribute:!1})],X.prototype,`columns`,void 0),f([t({type:Number})],X.prototype,`count`,void 0),f([t()],X.prototype,`label`,void 0),f([t({attribute:!1})],X.prototype,`sort`,void 0),f([t({attribute:!1})],X.prototype,`isSelected`,void 0),f([t()],X.prototype,`empty`,void 0),f([t({type:Boolean})],X.prototype,`canActivate`,void 0),f([d()],X.prototype,`first`,void 0),f([d()],X.prototype,`shown`,void 0),f([d()],X.prototype,`active`,void 0),X=f([a(`mp-vtable`)],X);function $n(e,t,n){let{head:r}=e,i=[];if(!e.offset.length)return i;let a=Math.max(0,Math.floor((t-r.from_ns)/r.bin_ns)),o=Math.min(r.columns_count,Math.ceil((n-r.from_ns)/r.bin_ns));for(let t=0;t<r.rows;t++){let n=new Map,s={row:r.row_from+t*r.rows_per_block,inside:0,waiting:0,calls:0,largest:null,longest_ns:0,longest:null};for(let i=a;i<o;i++){let c=t*r.columns_count+i;s.calls+=e.calls[c],e.longest_ns[c]>s.longest_ns&&(s.longest_ns=e.longest_ns[c],s.longest={rank:e.longest_rank[c],row:e.longest_row[c]});for(let t=e.offset[c];t<e.offset[c+1];t++){let r=e.share[t]/65535/(o-a);e.function[t]===65535?s.waiting+=r:(s.inside+=r,n.set(e.function[t],(n.get(e.function[t])??0)+r))}}for(let[e,t]of n)(!s.largest||t>s.largest.share)&&(s.largest={id:e,share:t});i.push(s)}return i}var er=class extends p{static{this.styles=[s]}constructor(){super(),this.round=0,new V(this)}render(){let{app:e,pictures:t}=this,{calls:n}=t;if(n&&t.isSingle)return this.#e();let{from:i,until:a}=e.window,o=t.cells?$n(t.cells,i,a):[],s=t.cells?.head.rows_per_block??1;return r`<mp-vtable
      label="Timeline as a table: each row over the time in sight"
      .columns=${[{id:`rank`,title:s>1?`Rows`:`Rank`,isNumber:!0,cell:t=>s>1?`${o[t].row}–${Math.min(e.rows,o[t].row+s)-1}`:String(e.worldRank(e.rankAt(o[t].row)))},{id:`computing`,title:`Computing`,isNumber:!0,cell:e=>S(Math.max(0,1-o[e].inside))},{id:`inside`,title:`In MPI`,isNumber:!0,cell:e=>S(o[e].inside)},{id:`waiting`,title:`Waiting`,isNumber:!0,cell:e=>S(o[e].waiting)},{id:`calls`,title:`Calls`,isNumber:!0,cell:e=>b(o[e].calls)},{id:`most`,title:`Most time in`,cell:t=>o[t].largest?`${e.names?.function(o[t].largest.id)} ${S(o[t].largest.share)}`:`–`},{id:`longest`,title:`Longest call`,isNumber:!0,cell:e=>o[e].longest?v(o[e].longest_ns):`–`}]}
      .count=${o.length}
      @activate=${t=>{let n=o[t.detail]?.longest;n&&n.rank>=0&&e.select(n)}}
    ></mp-vtable>`}#e(){let{app:e}=this,t=this.pictures.calls,{from:n,until:i,row_from:a,row_until:o}=e.window,s=[];for(let r=0;r<t.length;r++){let c=e.positions[t.rank[r]]??-1;c<Math.floor(a)||c>=o||t.start_ns[r]<i&&t.start_ns[r]+t.duration_ns[r]>n&&s.push(r)}let c=(i-n)/1e3,l=[{id:`rank`,title:`Rank`,isNumber:!0,cell:n=>String(e.worldRank(t.rank[s[n]]))},{id:`start`,title:`Start`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>C(t.start_ns[s[e]],Math.min(c,1e3))},{id:`duration`,title:`Duration`,isNumber:!0,cell:e=>v(t.duration_ns[s[e]])},{id:`function`,title:`Function`,cell:n=>e.names?.function(t.function[s[n]])??``},{id:`peer`,title:`Peer`,isNumber:!0,cell:n=>t.peer[s[n]]>=0?String(e.worldRank(t.peer[s[n]])):``},{id:`bytes`,title:`Bytes`,isNumber:!0,cell:e=>y(t.bytes_sent[s[e]]+t.bytes_received[s[e]])},{id:`site`,title:`Called from`,cell:n=>e.names?.site(t.site[s[n]])??``}],{selection:u}=e.store.state;return r`<mp-vtable
      label="Timeline as a table: calls in sight"
      .columns=${l}
      .count=${s.length}
      .isSelected=${e=>t.rank[s[e]]===u?.rank&&t.row[s[e]]===u?.row}
      @activate=${n=>e.select({rank:t.rank[s[n.detail]],row:t.row[s[n.detail]]})}
    ></mp-vtable>`}};f([t({attribute:!1})],er.prototype,`app`,void 0),f([t({attribute:!1})],er.prototype,`pictures`,void 0),f([t({type:Number})],er.prototype,`round`,void 0),er=f([a(`mp-timeline-twin`)],er);var tr=4,nr=.0022,Z=class extends p{static{this.styles=[s,o`
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
    `]}#e;#t;#n;#r;#i;#a;#o;constructor(){super(),this.isStill=!1,this.drag=null,this.hover=null,this.isPanning=!1,this.#t=null,this.#n=0,this.#r=null,this.#i=null,this.#a=0,this.#o=0,new V(this,()=>this.#c())}connectedCallback(){super.connectedCallback(),this.#e=new Sn(this.app,()=>{this.#o++,this.#c(),this.requestUpdate()})}disconnectedCallback(){super.disconnectedCallback(),this.#i?.disconnect(),this.#e.close(),cancelAnimationFrame(this.#n),this.#n=0}get lastFrameMs(){return this.#a}get isSettled(){return!this.#e.isBusy&&(this.#e.near!==null||this.#e.error!==null)}#s(){return this.renderRoot.querySelector(`.plot`)}updated(){this.#i||(this.#i=new ResizeObserver(()=>this.#c()),this.#i.observe(this)),this.#x(),this.#c()}#c(){this.#n||!this.isConnected||(this.#n=requestAnimationFrame(()=>{this.#n=0,this.#u()}))}get#l(){let{app:e}=this;return!this.#t||!e.run?null:{app:e,window:e.window,whole:e.whole,layout:this.#t,pictures:this.#e,ink:K[e.theme],drag:this.drag,hover:this.hover}}#u(){let e=this.renderRoot.querySelector(`canvas`),{app:t}=this;if(!t.run||t.rows===0)return;let n=performance.now(),r=this.clientWidth,i=this.clientHeight;if(!r||!i||(this.#t=Rt(r,i,!!t.run.iterations,!!t.order?.groups.length),this.#e.update(t.window,this.#t),!e))return;let a=devicePixelRatio||1;(e.width!==Math.round(r*a)||e.height!==Math.round(i*a))&&(e.width=Math.round(r*a),e.height=Math.round(i*a));let o=e.getContext(`2d`,{alpha:!1});o.setTransform(a,0,0,a,0,0),Hn(o,this.#l),this.#a=performance.now()-n}#d(e){let t=this.getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#f(e){let t=this.#t;if(!t||e.button>1)return;let{x:n,y:r}=this.#d(e),i=Vt(t,n,r);i!==`none`&&(this.#s()?.setPointerCapture(e.pointerId),this.#s()?.focus({preventScroll:!0}),i===`map`?(this.#r={kind:`map`},this.#g(n)):i===`scroll`?this.#r={kind:`scroll`,y:r}:e.button===1||e.shiftKey||i===`axis`||i===`ruler`?(this.#r={kind:`pan`,x:n,y:r},this.isPanning=!0,e.preventDefault()):i===`gutter`?this.#_(r):this.#r={kind:`area`,x:n,y:r})}#p(e){let t=this.#t;if(!t)return;let{x:n,y:r}=this.#d(e),i=this.#r;if(!i){let e=Vt(t,n,r);this.hover=e===`plot`?{x:n,y:r}:null;return}this.hover=null;let{app:a}=this;if(i.kind===`map`)this.#g(n);else if(i.kind===`pan`)a.setWindow(D(a.window,a.whole,(i.x-n)/t.plotWidth,(i.y-r)/t.plotHeight),!0),i.x=n,i.y=r;else if(i.kind===`scroll`){let e=a.whole.row_until;a.setWindow(D(a.window,a.whole,0,(r-i.y)/t.plotHeight*e/(a.window.row_until-a.window.row_from)),!0),i.y=r}else(Math.abs(n-i.x)>=tr||this.drag)&&(this.drag=this.#m(i,{x:n,y:r}))}#m(e,t){let n=this.#t,r=this.app.window,[i,a]=e.x<t.x?[e.x,t.x]:[t.x,e.x],[o,s]=e.y<t.y?[e.y,t.y]:[t.y,e.y],c=e=>Math.max(n.left,Math.min(n.left+n.plotWidth,e)),l=s-o<6,u=Math.max(0,Math.floor(Bt(n,r,Math.max(o,n.top)))),d=Math.min(this.app.rows,Math.ceil(Bt(n,r,Math.min(s,n.top+n.plotHeight))));return{from:Math.round(zt(n,r,c(i))),until:Math.max(Math.round(zt(n,r,c(a))),Math.round(zt(n,r,c(i)))+1),row_from:l?null:u,row_until:l?null:Math.max(d,u+1)}}#h(e){let t=this.#r;if(this.#r=null,this.isPanning=!1,!t)return;if(t.kind!==`area`){this.app.store.flush();return}let n=this.drag;this.drag=null;let r=this.isStill?{page:`views`}:{};n?this.app.store.set({...r,area:n}):this.#v(this.#d(e),r)}#g(e){let t=this.#t,{window:n,whole:r}=this.app,i=r.from+(e-t.left)/t.plotWidth*(r.until-r.from),a=(n.until-n.from)/2;this.app.setWindow(E({...n,from:i-a,until:i+a},r),!0)}#_(e){let t=Math.floor(Bt(this.#t,this.app.window,e));if(t<0||t>=this.app.rows)return;let{from:n,until:r}=this.app.window;this.app.store.set({area:{from:Math.round(n),until:Math.round(r),row_from:t,row_until:t+1}})}#v({x:e,y:t},n){let r=this.#y(e,t),{store:i}=this.app;r?i.set({...n,selection:{rank:r.rank,row:r.row}}):i.state.area?i.set({area:null}):i.state.selection&&i.set({selection:null})}#y(e,t){let n=this.#t,{app:r}=this;if(!n)return null;let i=r.window,a=Math.floor(Bt(n,i,t)),o=zt(n,i,e),{calls:s,cells:c}=this.#e,l=new Set(r.store.state.hidden);if(s&&(this.#e.isSingle||this.#e.isFaded)){let e=tn(s,r.rankAt(a),o,(i.until-i.from)/n.plotWidth*4,e=>l.has(e));return e>=0?{rank:s.rank[e],row:s.row[e],index:e}:null}let u=c?nn(c,a,o):null;return u&&u.longest_rank>=0&&u.shares.length?{rank:u.longest_rank,row:u.longest_row,index:-1}:null}#b(e){let t=this.#t;if(!t)return;let n=e.ctrlKey||e.metaKey;if(this.isStill&&!n)return;e.preventDefault();let{app:r}=this,{x:i,y:a}=this.#d(e),o=e.deltaMode===1?16:e.deltaMode===2?400:1,s=e.deltaX*o,c=e.deltaY*o,l=Math.max(0,Math.min(1,(i-t.left)/t.plotWidth));if(n)r.setWindow(me(r.window,r.whole,Math.exp(c*nr),l),!0);else if(e.altKey)r.setWindow(he(r.window,r.whole,Math.exp(c*nr),Math.max(0,Math.min(1,(a-t.top)/t.plotHeight))),!0);else{let n=e.shiftKey&&!s?c:s,i=e.shiftKey&&!s?0:c;r.setWindow(D(r.window,r.whole,n/t.plotWidth,i/t.plotHeight),!0)}}#x(){let e=this.renderRoot.querySelector(`.tip`);if(!e||!this.hover)return;let{x:t,y:n}=this.hover,{offsetWidth:r,offsetHeight:i}=e,a=t+16+r>this.clientWidth?Math.max(0,t-r-12):t+16,o=n+16+i>this.clientHeight?Math.max(0,n-i-10):n+16;e.style.transform=`translate(${Math.round(a)}px, ${Math.round(o)}px)`}render(){let{app:e}=this,t=this.#e;if(e.store.state.twins.includes(`timeline`)&&!this.isStill)return r`<mp-timeline-twin .app=${e} .pictures=${t} .round=${this.#o}></mp-timeline-twin>`;let i=this.#l,a=i?en(i):`Timeline`;return r`<div
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
        <canvas role="img" aria-label=${a}></canvas>
      </div>
      <span id="summary" class="hidden-text">${a}</span>
      ${this.#C()} ${t.isBusy?r`<div class="busy"></div>`:n}
      ${this.hover&&i&&!this.drag?r`<div class="tip">${Xn(i,this.hover,(e,t)=>this.#y(e,t)?.index??-1)}</div>`:n}
      ${t.error&&e.run?.state===`ready`?I(t.error):n}`}#S(e){let{x:t,y:n}=this.#d(e),r=this.#t;if(!r||Vt(r,t,n)!==`plot`)return;let{app:i}=this;i.setWindow(me(i.window,i.whole,.25,(t-r.left)/r.plotWidth),!1)}#C(){let{app:e}=this,t=this.#e,n=[];if(t.isFaded&&t.calls){let{total:e,is_cut:r}=t.calls.head;n.push(r?`the longest ${b(t.calls.length)} of ${x(e)} matching calls`:`${b(e)} matching calls`)}return t.isSingle&&t.messages?.head.is_cut&&e.store.state.layers.includes(`messages`)&&n.push(`${x(t.messages.head.total)} messages: zoom in for arrows`),r`<div class="status">${n.map(e=>r`<span>${e}</span>`)}</div>`}};f([t({attribute:!1})],Z.prototype,`app`,void 0),f([t({type:Boolean})],Z.prototype,`isStill`,void 0),f([d()],Z.prototype,`drag`,void 0),f([d()],Z.prototype,`hover`,void 0),f([d()],Z.prototype,`isPanning`,void 0),Z=f([a(`mp-timeline`)],Z);function rr(e,t,n){let r=e.rankOfWorld(n.rank),i=e.positions[r]??-1,a=_e(e.whole,e.whole,n.start_ns,n.end_ns,i<0?null:i);e.store.set({page:`views`,finding:t,area:null,selection:n.row===null?null:{rank:r,row:n.row},...ye({...a,row_from:0,row_until:e.rows},e.whole),layers:[...new Set([...e.store.state.layers,`waits`,`messages`,`collectives`])]})}function ir(e,t,n){let r=[n.evidence.function,...Array.isArray(n.evidence.functions)?n.evidence.functions:[]].map(t=>typeof t==`string`?e.names?.functionId(t)??null:null).filter(e=>e!==null),i={page:`views`,finding:t,filter:{...A,functions:r.length?r:null},area:null,selection:null,from:null,until:null,left:`table`,right:`scatter`,table:{by:n.sites.length>1?`site`:`rank`,sort:`total_ns`,ascending:!1},scatter:{...e.store.state.scatter,x:`end`,y:`duration`,x_min:null,x_max:null,y_min:null,y_max:null}};e.store.set(i)}var ar=8,or=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),this.isAll=!1,new V(this)}render(){let e=this.app.report?.explanation?.findings;if(!e)return n;let t=this.isAll?e:e.slice(0,ar);return r`<section aria-label="Findings">
      <h2>Findings <span class="muted">cost in rank time; costs overlap</span></h2>
      ${e.length?r`<ol>${t.map((e,t)=>this.#e(e,t))}</ol>`:r`<p class="note">Nothing costs more than a hundredth of the rank time.</p>`}
      ${e.length>t.length?r`<div class="more"><button class="line" @click=${()=>this.isAll=!0}>${e.length-t.length} more</button></div>`:n}
    </section>`}#e(e,t){let{app:i}=this,a=i.run?.state===`ready`,o=e.cause_ranks.length?`caused by ${e.cause_ranks.length===1?`rank`:`ranks`} ${w(e.cause_ranks)}`:``;return r`<li>
      <div class="cost number"><b>${S(e.share)}</b><span class="muted">${v(e.cost_ns)}</span></div>
      <div>
        <h3>${e.title}</h3>
        <p>${e.text}</p>
        ${e.advice?r`<p class="advice"><span class="hidden-text">What to try: </span>${e.advice}</p>`:n}
        <div class="buttons">
          ${e.proof.length?r`<button class="line" ?disabled=${!a} @click=${()=>rr(i,t,e.proof[0])}>
                Show in the timeline
              </button>`:n}
          <button class="line" ?disabled=${!a} @click=${()=>ir(i,t,e)}>Show its calls</button>
          <span class="muted">${[o,e.confidence===`high`?``:`${e.confidence} confidence`].filter(Boolean).join(`; `)}</span>
        </div>
      </div>
    </li>`}};f([t({attribute:!1})],or.prototype,`app`,void 0),f([d()],or.prototype,`isAll`,void 0),or=f([a(`mp-findings`)],or);var sr=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),new V(this)}render(){let{app:e}=this,t=e.report?.explanation;return t?r`<section aria-label="Verdict">
      <h2>Verdict <span class="muted">shares of ${v(t.scope.rank_time_ns)} of rank time</span></h2>
      <div class="body">${this.#e(t)} ${this.#t(t)} ${this.#n(t)}</div>
    </section>`:e.reportError||e.run?.is_explained?n:r`<section aria-label="Verdict"><h2>Verdict</h2><div class="body muted" role="status">The run is being analysed …</div></section>`}#e({time:e}){let{theme:t}=this.app,i=Math.max(1,e.computing_ns+e.waiting_ns+e.communicating_ns),a=[{name:`computing`,ns:e.computing_ns,colour:t===`light`?`#b9c2cf`:z(pt.dark+2105376)},{name:`waiting for other ranks`,ns:e.waiting_ns,colour:z(B(`completion`,t)),isHatched:!0},{name:`in MPI otherwise`,ns:e.communicating_ns,colour:z(B(`send`,t))}],o=0,s=l`<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="#000" fill-opacity=".45"></rect></pattern>`,c=a.map(e=>`${e.name} ${S(e.ns/i)}`).join(`, `);return r`<div>
      <svg class="bar" viewBox="0 0 1000 22" preserveAspectRatio="none" role="img" aria-label=${c}>
        <defs>${s}</defs>
        ${a.map(e=>{let t=o,r=e.ns/i*1e3;return o+=r,l`<rect x=${t} y="0" width=${r} height="22" fill=${e.colour}></rect>${e.isHatched?l`<rect x=${t} y="0" width=${r} height="22" fill="url(#hatch)"></rect>`:n}`})}
      </svg>
      <div class="key">
        ${a.map(e=>r`<span
            ><svg width="11" height="11" aria-hidden="true"><rect width="11" height="11" rx="2" fill=${e.colour}></rect></svg>${e.name}
            <b class="number">${S(e.ns/i)}</b> <span class="muted number">${v(e.ns)}</span></span
          >`)}
      </div>
    </div>`}#t({efficiency:e}){if(!e)return n;let{theme:t}=this.app,i=(e,i,a,o)=>a===null?n:r`<span class=${e?`in${e}`:``}>${i}</span>
            <svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true">
              <rect width="100" height="9" fill=${z(pt[t])}></rect>
              <rect width=${Math.max(0,Math.min(100,a*100))} height="9" fill=${z(B(a<.5?`barrier`:a<.8?`completion`:`receive`,t))}></rect>
            </svg>
            <b class="number">${S(a)}</b><span class="muted">${o}</span>`;return r`<div class="tree">
      ${i(0,`Parallel efficiency`,e.parallel,`load balance × communication`)}
      ${i(1,`Load balance`,e.load_balance,`mean of computing ÷ largest`)}
      ${i(1,`Communication`,e.communication,`serialisation × transfer`)}
      ${i(2,`Serialisation`,e.serialisation,`ranks that wait for each other`)}
      ${i(2,`Transfer`,e.transfer,`time in MPI that is no waiting`)}
    </div>`}#n(e){let t=[];return e.iterations&&t.push(`${b(e.iterations.count)} iterations of ${v(e.iterations.period_ns)}`),e.phases.length&&t.push(`${e.phases.length} phases`),e.grid&&t.push(`${e.grid.dims.join(` × `)} grid`),e.pattern&&t.push(`pattern ${e.pattern.replace(/_/g,` `)}`),e.critical_path&&t.push(`critical path ${v(e.critical_path.length_ns)} with ${b(e.critical_path.jumps)} jumps between ranks`),t.length?r`<div><span class="muted">Structure:</span> ${t.join(`, `)}</div>`:n}};f([t({attribute:!1})],sr.prototype,`app`,void 0),sr=f([a(`mp-verdict`)],sr);var cr=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),new V(this)}render(){let{app:e}=this,t=e.run;if(!t)return r``;let i=e.report,a=t.calls===0;return r`<div class="page">
      <section class="card wide" aria-label="The run at a glance">
        <h2>
          The run at a glance
          <button class="line" @click=${()=>e.store.set({page:`views`})}>Open the timeline</button>
        </h2>
        ${a||e.rows===0?r`<p class="note">No MPI call was recorded in this run. <code>mpiscope doctor PROGRAM</code> says what would be recorded.</p>`:r`<div class="strip"><mp-timeline .app=${e} .isStill=${!0}></mp-timeline></div>`}
      </section>
      <div class="stack">
        ${e.reportError?r`<section class="card">${I(e.reportError)}</section>`:n}
        <mp-verdict .app=${e}></mp-verdict>
        <mp-findings .app=${e}></mp-findings>
      </div>
      <div class="stack">${this.#e(i)} ${this.#t()} ${this.#n(i)} ${this.#r(i)}</div>
    </div>`}#e(e){let t=this.app.run,i=e?.overview,a=(e,t)=>e?r`${t(e.mean)} <span class="muted">(${t(e.min.value)} rank ${e.min.rank} to ${t(e.max.value)} rank ${e.max.rank})</span>`:r`–`;return r`<section class="card" aria-label="The program">
      <h2>The program</h2>
      <dl>
        <dt>command</dt><dd class="mono">${t.command.join(` `)||`unknown`}</dd>
        <dt>MPI</dt><dd>${(t.mpi??`unknown`).split(`, package`)[0]}</dd>
        <dt>ranks</dt><dd class="number">${b(t.ranks.count)} on ${t.hosts.length===1?t.hosts[0]:`${b(t.hosts.length)} hosts`}</dd>
        ${i?.start_unix_ns?r`<dt>started</dt><dd class="number">${new Date(i.start_unix_ns/1e6).toISOString().replace(`T`,` `).slice(0,19)} UTC</dd>`:n}
        ${i?.wall_ns?r`<dt>wall time</dt><dd class="number">${a(i.wall_ns,v)}</dd>`:n}
        ${i?.mpi_share?r`<dt>in MPI</dt><dd class="number">${a(i.mpi_share,S)}</dd>`:n}
        ${i?.max_rss_bytes?r`<dt>memory</dt><dd class="number">${a(i.max_rss_bytes,y)}</dd>`:n}
        <dt>calls</dt><dd class="number">${b(t.calls)}${i?.calls_failed?r`, <span class="bad">${b(i.calls_failed)} failed</span>`:n}</dd>
      </dl>
    </section>`}#t(){let{app:e}=this,t=e.run,i=t.functions.reduce((e,t)=>e+t.time_ns,0),a=[...t.functions].sort((e,t)=>t.time_ns-e.time_ns).slice(0,10);return a.length?r`<section class="card" aria-label="Where the time in MPI goes">
      <h2>Where the time in MPI goes <span class="muted">${v(i)} in all ranks</span></h2>
      <table>
        <thead>
          <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
        </thead>
        <tbody>
          ${a.map(t=>r`<tr>
              <td>${wt(e,t.id)} ${t.name}</td>
              <td class="number">${b(t.calls)}</td>
              <td class="number">${v(t.time_ns)}</td>
              <td class="number">${S(t.time_ns/Math.max(1,i))}</td>
            </tr>`)}
        </tbody>
      </table>
      ${t.functions.length>a.length?r`<p class="note">and ${t.functions.length-a.length} more functions</p>`:n}
    </section>`:r``}#n(e){if(!e||e.overview.all_normal)return n;let t=e.ranks.filter(e=>e.fate.kind!==`finalized`||e.in_flight.length).slice(0,32);return t.length?r`<section class="card" aria-label="How ranks ended">
      <h2>How ranks ended</h2>
      <table>
        <thead><tr><th scope="col">Rank</th><th scope="col">End</th><th scope="col">Last in</th></tr></thead>
        <tbody>
          ${t.map(e=>r`<tr>
              <td class="number">${e.rank}</td>
              <td>${e.fate.signal_name??e.fate.kind.replace(/_/g,` `)}</td>
              <td>${e.in_flight.map(e=>r`<div>${e.call} <span class="muted">${e.site}</span></div>`)}</td>
            </tr>`)}
        </tbody>
      </table>
    </section>`:n}#r(e){let t=this.app.run,i=t.ranks.calls_lost.reduce((e,t)=>e+t,0),a=t.ranks.calls_lost.filter(e=>e>0).length,o=[...new Set([...e?.diagnostics.map(e=>e.file?`${e.file}: ${e.text}`:e.text)??[],...e?.explanation?.caveats??[],...t.caveats])];return i>0&&o.unshift(`${b(i)} calls of ${b(a)} ${a===1?`rank`:`ranks`} are overwritten: counts and times of functions include them, the timeline begins after them. Record with a larger --buffer to keep them.`),t.is_writing&&o.unshift(`The program was still running when this run was opened.`),o.length?r`<section class="card" aria-label="What to keep in mind">
      <h2>What to keep in mind</h2>
      <ul>${o.map(e=>r`<li>${e}</li>`)}</ul>
    </section>`:n}};f([t({attribute:!1})],cr.prototype,`app`,void 0),cr=f([a(`mp-overview`)],cr);var lr=e=>e.map(e=>e===null?``:String(e)).join(`~`);function ur(e,t){let n=e.split(`~`);if(n.length!==t)return null;let r=n.map(e=>e===``?null:Number(e));return r.every(e=>e===null||Number.isFinite(e))?r:null}var dr=e=>typeof e==`number`&&Number.isInteger(e)&&e>=0;function fr(e){return e.split(`,`).map(Number).filter(dr)}function pr(e){return Object.entries(e).filter(([,e])=>e!==null).map(([e,t])=>`${e}:${Array.isArray(t)?t.join(`,`):String(t)}`).join(`;`)}function mr(e){let t={...A};for(let n of e.split(`;`)){let e=n.indexOf(`:`),r=n.slice(0,e),i=n.slice(e+1);e<0||!(r in A)||(r===`ranks`||r===`peers`?t[r]=/^[\d,-]+$/.test(i)?i:null:r===`functions`?t.functions=fr(i):i!==``&&Number.isFinite(Number(i))&&(t[r]=Number(i)))}return t}function hr(e){let t=[],n=(e,n,r=``)=>{n!==r&&t.push([e,n])};n(`page`,e.page,j.page),n(`t`,lr([e.from,e.until]),`~`),n(`rows`,lr([e.row_from,e.row_until]),`~`),n(`order`,e.order),n(`filter`,pr(e.filter)),e.selection&&n(`call`,lr([e.selection.rank,e.selection.row])),e.area&&n(`area`,lr([e.area.from,e.area.until,e.area.row_from,e.area.row_until])),n(`hidden`,e.hidden.join(`,`)),n(`skipped`,e.skipped.join(`,`)),n(`colour`,e.colouring,j.colouring),n(`layers`,e.layers.join(`,`),j.layers.join(`,`)),n(`left`,e.left,j.left),n(`right`,e.right,j.right),n(`scope`,e.scope,j.scope);let r=e=>`${e.by}~${e.sort}~${+!!e.ascending}`;n(`table`,r(e.table),r(j.table));let i=e=>`${e.x}~${e.y}~${+!!e.x_log}~${+!!e.y_log}~${lr([e.x_min,e.x_max,e.y_min,e.y_max])}`;n(`scatter`,i(e.scatter),i(j.scatter));let a=e=>`${e.field}~${+!!e.is_log}`;n(`histogram`,a(e.histogram),a(j.histogram));let o=e=>`${e.by}~${e.value}~${e.comm??``}`;return n(`matrix`,o(e.matrix),o(j.matrix)),n(`twins`,e.twins.join(`,`)),n(`finding`,e.finding===null?``:String(e.finding)),t.map(([e,t])=>`${e}=${encodeURIComponent(t).replace(/%(3A|3B|2C|7E)/g,decodeURIComponent)}`).join(`&`)}function gr(e){let t={...j},n=new Map;for(let t of e.replace(/^#/,``).split(`&`)){let e=t.indexOf(`=`);if(!(e<0))try{n.set(t.slice(0,e),decodeURIComponent(t.slice(e+1)))}catch{}}let r=e=>n.get(e)??``;r(`page`)===`views`&&(t.page=`views`);let i=ur(r(`t`),2);i&&i[0]!==null&&i[1]!==null&&i[0]<i[1]&&(t.from=i[0],t.until=i[1]);let a=ur(r(`rows`),2);a&&a[0]!==null&&a[1]!==null&&a[0]<a[1]&&(t.row_from=a[0],t.row_until=a[1]),t.order=r(`order`),n.has(`filter`)&&(t.filter=mr(r(`filter`)));let o=ur(r(`call`),2);o&&dr(o[0])&&dr(o[1])&&(t.selection={rank:o[0],row:o[1]});let s=ur(r(`area`),4);s&&typeof s[0]==`number`&&typeof s[1]==`number`&&s[0]<s[1]&&(t.area={from:s[0],until:s[1],row_from:s[2]??null,row_until:s[3]??null}),r(`hidden`)&&(t.hidden=fr(r(`hidden`))),r(`skipped`)&&(t.skipped=fr(r(`skipped`))),r(`colour`)===`class`&&(t.colouring=`class`),n.has(`layers`)&&(t.layers=r(`layers`).split(`,`).filter(e=>Pe.includes(e)));let c=e=>Ne.includes(e),l=r(`left`),u=r(`right`);c(l)&&(t.left=l),c(u)&&(t.right=u),r(`scope`)===`run`&&(t.scope=`run`);let d=r(`table`).split(`~`);d.length===3&&/^[a-z_]+(,[a-z_]+)?$/.test(d[0])&&/^[a-z0-9_]+$/.test(d[1])&&(t.table={by:d[0],sort:d[1],ascending:d[2]===`1`});let f=r(`scatter`).split(`~`);if(f.length===8){let e=ur(f.slice(4).join(`~`),4);e&&(t.scatter={x:f[0],y:f[1],x_log:f[2]===`1`,y_log:f[3]===`1`,x_min:e[0],x_max:e[1],y_min:e[2],y_max:e[3]})}let p=r(`histogram`).split(`~`);p.length===2&&(t.histogram={field:p[0],is_log:p[1]===`1`});let m=r(`matrix`).split(`~`);return m.length===3&&[`count`,`bytes`,`mean`,`latency`,`longest`].includes(m[1])&&(t.matrix={by:m[0]===`host`?`host`:`rank`,value:m[1],comm:m[2]?Number(m[2]):null}),r(`twins`)&&(t.twins=r(`twins`).split(`,`)),n.has(`finding`)&&dr(Number(r(`finding`)))&&(t.finding=Number(r(`finding`))),t}var _r={hash:()=>window.location.hash,push:e=>window.history.pushState(null,``,`#${e}`),replace:e=>window.history.replaceState(null,``,`#${e}`)},vr=class{#e;#t;#n=new Set;#r=null;constructor(e){this.#t=e,this.#e=gr(e.hash())}get state(){return this.#e}listen(e){return this.#n.add(e),()=>this.#n.delete(e)}set(e){this.flush(),this.#a({...this.#e,...e}),this.#i()}move(e){this.#r!==null&&clearTimeout(this.#r),this.#a({...this.#e,...e}),this.#r=setTimeout(()=>this.flush(),350)}correct(e){this.#a({...this.#e,...e}),this.#t.replace(hr(this.#e))}flush(){this.#r!==null&&(clearTimeout(this.#r),this.#r=null,this.#i())}restore(){this.#r!==null&&clearTimeout(this.#r),this.#r=null,this.#a(gr(this.#t.hash()))}#i(){let e=hr(this.#e);e!==this.#t.hash().replace(/^#/,``)&&this.#t.push(e)}#a(e){let t=this.#e;this.#e=e;for(let n of[...this.#n])n(e,t)}},yr=class extends p{constructor(...e){super(...e),this.text=``}static{this.styles=[s,o`
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
    `]}firstUpdated(){this.renderRoot.querySelector(`input`)?.focus()}#e(e){let{app:t}=this,n=this.text.trim();if(!n||t.run?.state!==`ready`)return;let{detail:r}=t,i=t.store.state,a={...i.filter,functions:ue(i,t.run.functions)},o=e===`next`,s=i.selection&&r?r.start_ns:o?t.window.from:t.window.until;t.goTo(c=>t.client.find(n,e,o?{...a,from:s+(i.selection&&r?1:0)}:{...a,until:s},c),`No ${e} call has “${n}” in its function, call site, region or communicator.`)}render(){return r`<form
      role="search"
      @submit=${e=>{e.preventDefault(),this.#e(`next`)}}
      @keydown=${e=>{e.key===`Escape`?(e.preventDefault(),this.app.open(null)):e.key===`Enter`&&e.shiftKey&&(e.preventDefault(),this.#e(`previous`))}}
    >
      <input type="search" aria-label="Search calls" placeholder="function, call site, region …" .value=${this.text} @input=${e=>this.text=e.target.value} />
      <button class="line" type="button" @click=${()=>this.#e(`previous`)}>Previous</button>
      <button class="line" type="submit">Next</button>
      <button type="button" aria-label="Close the search" @click=${()=>this.app.open(null)}>✕</button>
    </form>`}};f([t({attribute:!1})],yr.prototype,`app`,void 0),f([d()],yr.prototype,`text`,void 0),yr=f([a(`mp-find`)],yr);var br=class extends p{static{this.styles=[s,o`
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
    `]}firstUpdated(){let e=this.renderRoot.querySelector(`dialog`);e.addEventListener(`close`,()=>this.app.dialog&&this.app.open(null)),e.addEventListener(`click`,t=>t.target===e&&e.close()),e.showModal()}close(){this.renderRoot.querySelector(`dialog`)?.close()}};f([t({attribute:!1})],br.prototype,`app`,void 0);var xr=[[`Click`,`select the call; from afar, the longest call in that place`],[`Drag`,`select an area; a flat one is of all ranks in sight`],[`Drag with Shift, or the middle button, or on the axis`,`move`],[`Wheel`,`scroll ranks; with Shift: time`],[`Ctrl and wheel`,`zoom in time, where the pointer is`],[`Alt and wheel`,`taller or flatter ranks`],[`Double click`,`zoom in four times`],[`Click a rank's number`,`that rank over the time in sight as an area`]],Sr=class extends br{static{this.styles=[...br.styles,o`
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
    `]}render(){let e=[...new Set(F.map(e=>e.group))];return r`<dialog aria-label="Keys and mouse">
      <div class="head">
        <h2>Keys and mouse</h2>
        <button class="line" autofocus @click=${()=>this.close()}>Close</button>
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="List of keys">
        <section>
          <h3>Mouse, on the timeline</h3>
          <dl class="mouse">${xr.map(([e,t])=>r`<dt>${e}</dt><dd>${t}</dd>`)}</dl>
        </section>
        ${e.map(e=>r`<section>
            <h3>${e}</h3>
            <dl>
              ${F.filter(t=>t.group===e&&t.keys.length).map(e=>r`<dt>${e.keys.map((e,t)=>r`${t?` `:``}<kbd>${Ee(e)}</kbd>`)}</dt><dd>${e.title}</dd>`)}
            </dl>
          </section>`)}
        <p class="muted">
          Letters are places on the keyboard (W A S D as on an English one). Commands without a key are in the palette, Ctrl+Shift+P, which also turns single
          keys off.
        </p>
      </div>
    </dialog>`}};Sr=f([a(`mp-help`)],Sr);function Cr(e,t){let n=t.toLowerCase().split(/\s+/).filter(Boolean),r=e.filter(e=>n.every(t=>`${e.title} ${e.group}`.toLowerCase().includes(t))),i=e=>+!e.title.toLowerCase().startsWith(t.toLowerCase().trim());return r.map((e,t)=>({c:e,i:t})).sort((e,t)=>i(e.c)-i(t.c)||e.i-t.i).map(({c:e})=>e)}var wr=class extends br{constructor(...e){super(...e),this.text=``,this.active=0}static{this.styles=[...br.styles,o`
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
    `]}#e(){return Cr(F.filter(e=>e.id!==`palette`&&(e.when?.(this.app)??!0)),this.text)}#t(e){e&&(this.close(),this.app.open(null),e.run(this.app))}#n(e){let t=this.#e();if(e.key===`ArrowDown`)this.active=Math.min(t.length-1,this.active+1);else if(e.key===`ArrowUp`)this.active=Math.max(0,this.active-1);else if(e.key===`Enter`)this.#t(t[this.active]);else return;e.preventDefault()}updated(){this.renderRoot.querySelector(`[aria-selected="true"]`)?.scrollIntoView({block:`nearest`})}render(){let e=this.#e();return r`<dialog aria-label="Command palette">
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
        ${e.map((e,t)=>r`<div class="option" role="option" id="option-${t}" aria-selected=${t===this.active} @click=${()=>this.#t(e)}>
            <span>${e.title}</span><span aria-hidden="true">${e.keys.map(e=>r`<kbd>${Ee(e)}</kbd>`)}</span>
          </div>`)}
      </div>
      ${e.length?``:r`<p class="note" role="status">No such command.</p>`}
    </dialog>`}};f([d()],wr.prototype,`text`,void 0),f([d()],wr.prototype,`active`,void 0),wr=f([a(`mp-palette`)],wr);var Tr=120,Q=class{#e;#t;#n;#r;constructor(e){this.value=null,this.error=null,this.isBusy=!1,this.#t=new m,this.#n=``,this.#r=null,this.#e=e,e.addController({hostConnected:()=>{},hostDisconnected:()=>{this.#r!==null&&clearTimeout(this.#r),this.#t.cancel(),this.#n=``}})}update(e,t){let n=JSON.stringify(e);if(n===this.#n)return;let r=this.#n===``;this.#n=n,this.#r!==null&&clearTimeout(this.#r),this.isBusy=!0,this.#r=setTimeout(()=>{this.#r=null,this.#i(t)},r?0:Tr)}async#i(t){try{let e=await this.#t.run(t);if(e===void 0)return;this.value=e,this.error=null}catch(t){if(c(t))return;this.error=e(t),this.value=null}this.isBusy=this.#t.isBusy,this.#e.requestUpdate()}},Er=5e3,Dr=class extends p{static{this.styles=[s,u,o`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      mp-vtable {
        flex: 1;
      }
    `]}#e=new Q(this);#t=``;constructor(){super(),new V(this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t={...e.scope,limit:Er};this.#e.update([t,e.growth],n=>e.client.calls(t,n))}#n(e){let{selection:t}=this.app.store.state,n=this.#e.value;return!!n&&!!t&&n.rank[e]===t.rank&&n.row[e]===t.row}updated(){let{selection:e}=this.app.store.state,t=this.#e.value,n=`${e?.rank}:${e?.row}:${t?.length}`;if(e&&t&&n!==this.#t){this.#t=n;for(let e=0;e<t.length;e++)if(this.#n(e)){let t=this.renderRoot.querySelector(`mp-vtable`);t?.updateComplete.then(()=>t.reveal(e));return}}}render(){let{app:e}=this,t=this.#e.value,n=t?[{id:`rank`,title:`Rank`,isNumber:!0,width:`60px`,cell:n=>String(e.worldRank(t.rank[n]))},{id:`start`,title:`Start`,isNumber:!0,width:`minmax(140px, 1.4fr)`,cell:e=>C(t.start_ns[e],1)},{id:`duration`,title:`Duration`,isNumber:!0,cell:e=>v(t.duration_ns[e])},{id:`function`,title:`Function`,width:`minmax(130px, 2fr)`,cell:n=>e.names?.function(t.function[n])??``},{id:`peer`,title:`Peer`,isNumber:!0,width:`60px`,cell:n=>t.peer[n]>=0?String(e.worldRank(t.peer[n])):``},{id:`tag`,title:`Tag`,isNumber:!0,width:`70px`,cell:e=>t.peer[e]>=0?String(t.tag[e]):``},{id:`sent`,title:`Sent`,isNumber:!0,cell:e=>t.bytes_sent[e]?y(t.bytes_sent[e]):``},{id:`received`,title:`Received`,isNumber:!0,cell:e=>t.bytes_received[e]?y(t.bytes_received[e]):``},{id:`comm`,title:`Communicator`,cell:n=>e.names?.comm(t.comm[n])??``},{id:`site`,title:`Called from`,width:`minmax(180px, 3fr)`,cell:n=>e.names?.site(t.site[n])??``}]:[];return r`<div class="controls">
        <span class="muted">${t?t.head.is_cut?`the longest ${b(t.length)} of about ${x(t.head.total)} calls: zoom in or filter for all`:`${b(t.length)} calls`:`…`}</span>
      </div>
      ${e.run?.state===`ready`?this.#e.error?I(this.#e.error):r`<mp-vtable
            label="Calls; Enter selects one"
            aria-busy=${this.#e.isBusy}
            .columns=${n}
            .count=${t?.length??0}
            .isSelected=${e=>this.#n(e)}
            empty=${this.#e.isBusy?`…`:`No calls here.`}
            @activate=${n=>{if(!t)return;let r=n.detail;this.#t=`${t.rank[r]}:${t.row[r]}:${t.length}`,e.show({rank:t.rank[r],row:t.row[r],start_ns:t.start_ns[r],end_ns:t.start_ns[r]+t.duration_ns[r]})}}
          ></mp-vtable>`:L()}`}};f([t({attribute:!1})],Dr.prototype,`app`,void 0),Dr=f([a(`mp-events`)],Dr);function Or(e,t){return{left:76,top:10,width:Math.max(1,e-76-14),height:Math.max(1,t-10-38)}}function $(e,t,n){return e.text?e.text(t):e.isMoment?C(t,n):ne(t,e.unit)}function kr(e,t,n,r,i){e.font=Wt,e.lineWidth=1;let a=jt(n.scale,Math.max(2,Math.floor(t.width/95)),n.unit),o=jt(r.scale,Math.max(2,Math.floor(t.height/32)),r.unit),s=e=>e.length>1?e[1]-e[0]:1;e.strokeStyle=i.line,e.fillStyle=i.muted,e.textBaseline=`top`;for(let r of a){let i=Math.round(t.left+H(n.scale,r)*t.width)+.5;if(i<t.left-1||i>t.left+t.width+1)continue;e.beginPath(),e.moveTo(i,t.top),e.lineTo(i,t.top+t.height+4),e.stroke();let o=$(n,r,s(a)),c=e.measureText(o).width/2;e.textAlign=`center`,e.fillText(o,Math.min(i,t.left+t.width+12-c),t.top+t.height+6)}e.textBaseline=`middle`,e.textAlign=`right`;for(let n of o){let i=Math.round(t.top+(1-H(r.scale,n))*t.height)+.5;i<t.top-1||i>t.top+t.height+1||(e.beginPath(),e.moveTo(t.left-4,i),e.lineTo(t.left+t.width,i),e.stroke(),e.fillText($(r,n,s(o)),t.left-7,i,t.left-20))}e.strokeStyle=i.muted,e.strokeRect(t.left+.5,t.top+.5,t.width,t.height),e.font=q,e.fillStyle=i.text,e.textAlign=`center`,e.textBaseline=`bottom`,e.fillText(n.title,t.left+t.width/2,t.top+t.height+37),e.save(),e.translate(10,t.top+t.height/2),e.rotate(-Math.PI/2),e.textBaseline=`middle`,e.fillText(r.title,0,0),e.restore()}function Ar(e){let t=e.clientWidth,n=e.clientHeight;if(!t||!n)return null;let r=devicePixelRatio||1;(e.width!==Math.round(t*r)||e.height!==Math.round(n*r))&&(e.width=Math.round(t*r),e.height=Math.round(n*r));let i=e.getContext(`2d`,{alpha:!1});return i.setTransform(r,0,0,r,0,0),{c:i,width:t,height:n}}var jr=class extends p{static{this.styles=[s,u,o`
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
    `]}#e=null;constructor(){super(),new V(this)}updated(){let e=this.renderRoot.querySelector(`canvas`);e&&(this.#e||(this.#e=new ResizeObserver(()=>{let e=this.renderRoot.querySelector(`canvas`);e&&this.paint(e),this.resized()}),this.#e.observe(this)),this.paint(e))}resized(){}disconnectedCallback(){super.disconnectedCallback(),this.#e?.disconnect(),this.#e=null}get isTwin(){return this.app.store.state.twins.includes(this.view)}twinButton(){return r`<button class="line" aria-label="As a table" aria-pressed=${this.isTwin} @click=${()=>st(this.app,this.view)}>Table</button>`}placeTip(e,t){let n=this.renderRoot.querySelector(`.tip`),r=this.renderRoot.querySelector(`.plot`);if(!n||!r)return;let i=e+14+n.offsetWidth>r.clientWidth?Math.max(0,e-n.offsetWidth-10):e+14,a=Math.max(0,Math.min(t+12,r.clientHeight-n.offsetHeight));n.style.transform=`translate(${Math.round(i)}px, ${Math.round(a)}px)`}};f([t({attribute:!1})],jr.prototype,`app`,void 0);var Mr=120;function Nr(e,t,n){return e===`duration`?{duration_min:Math.floor(t),duration_max:Math.ceil(n)}:e===`bytes`?{bytes_min:Math.ceil(t),bytes_max:Math.floor(n)}:e===`rank`?{ranks:`${Math.max(0,Math.ceil(t))}-${Math.max(0,Math.floor(n))}`}:e===`start`||e===`end`?`time`:null}var Pr=class extends jr{constructor(...e){super(...e),this.view=`histogram`,this.#e=new Q(this),this.#t=new Q(this),this.drag=null,this.over=null,this.#n=null}#e;#t;#n;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{field:t,is_log:n}=e.store.state.histogram,{area:r,filter:i}=e.store.state,a={...r?{...i,...e.store.state.scope===`run`?{}:{from:Math.round(e.window.from),until:Math.round(e.window.until)}}:e.scope,field:t,is_log:n,bins:Mr};this.#e.update([a,e.growth],t=>e.client.histogram(a,t));let o=this.#e.value;if(r&&o&&o.field===t&&o.max>o.min){let n={...e.scope,field:t,is_log:o.is_log,min:o.min,max:o.max,bins:Mr};this.#t.update(n,t=>e.client.histogram(n,t))}}#r(e){let t=this.app.run?.fields.find(t=>t.id===e.field),n={scale:{min:e.min,max:e.max,isLog:e.is_log},unit:t?.unit??``,title:t?.name??e.field,isMoment:e.field===`start`||e.field===`end`};return e.field===`function`&&(n.text=e=>this.app.names?.short(Math.round(e))??``),n}#i(e){let t=1;for(let n of e.counts)t=Math.max(t,n);return{scale:{min:0,max:t*1.05,isLog:!1},unit:``,title:`Calls`,isMoment:!1,text:x}}paint(e){let t=Ar(e);if(!t)return;let{c:n,width:r,height:i}=t,{app:a}=this,o=K[a.theme];n.fillStyle=o.panel,n.fillRect(0,0,r,i);let s=this.#e.value;if(!s||s.total===0)return;let c=Or(r,i);this.#n=c;let l=this.#r(s),u=this.#i(s);kr(n,c,l,u,o);let d=a.store.state.area!==null,f=(e,t)=>{n.fillStyle=t;let r=e.counts.length;e.counts.forEach((e,t)=>{if(!e)return;let i=c.left+t/r*c.width,a=Math.max(1.5,H(u.scale,e)*c.height);n.fillRect(i,c.top+c.height-a,Math.max(1,c.width/r-.6),a)})};f(s,d?o.absent:z(B(`send`,a.theme)));let p=this.#t.value;if(d&&p&&p.field===s.field&&p.min===s.min&&f(p,z(B(`completion`,a.theme))),this.drag){n.fillStyle=o.shade;let[e,t]=[Math.min(this.drag.x0,this.drag.x1),Math.max(this.drag.x0,this.drag.x1)];n.fillRect(e,c.top,t-e,c.height),n.strokeStyle=o.accent,n.strokeRect(e,c.top,t-e,c.height)}}#a(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#o(e){let{x:t,y:n}=this.#a(e),r=this.#e.value;if(this.drag)this.drag={...this.drag,x1:t};else if(r&&this.#n){let e=Math.floor((t-this.#n.left)/this.#n.width*r.counts.length);this.over=e>=0&&e<r.counts.length?{x:t,y:n,bin:e}:null}}#s(){let e=this.drag;this.drag=null;let t=this.#e.value,n=this.#n;if(!e||!t||!n||Math.abs(e.x1-e.x0)<4)return;let r=this.#r(t).scale,i=e=>Dt(r,Math.max(0,Math.min(1,(e-n.left)/n.width)));this.#c(i(Math.min(e.x0,e.x1)),i(Math.max(e.x0,e.x1)))}#c(e,t){let{app:n}=this,{field:r}=n.store.state.histogram,i=Nr(r,e,t);i===`time`?n.store.set({area:{from:Math.floor(e),until:Math.max(Math.ceil(t),Math.floor(e)+1),row_from:null,row_until:null}}):i?n.store.set({filter:{...n.store.state.filter,...i}}):n.say(`Calls cannot be filtered by this field.`)}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let{app:e}=this,{field:t,is_log:n}=e.store.state.histogram,i=this.#e.value,a=(e.run?.fields??[]).filter(t=>t.id!==`iteration`||e.run?.iterations);return r`<div class="controls">
        <label>of
          <select aria-label="Field" @change=${t=>e.store.set({histogram:{field:t.target.value,is_log:n}})}>
            ${a.map(e=>r`<option value=${e.id} ?selected=${e.id===t}>${e.name}</option>`)}
          </select></label>
        <label><input type="checkbox" .checked=${n} @change=${n=>e.store.set({histogram:{field:t,is_log:n.target.checked}})} />log</label>
        <span class="space"></span>
        <span class="muted">${i?`${x(i.total)} calls`:``}${e.store.state.area?`, the area stands out`:``}</span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?I(this.#e.error):this.isTwin?this.#u():this.#l():L()}`}#l(){let e=this.#e.value,t=this.over,i=e?this.#r(e):null,a=t=>$(i,e.edges[t],1e3);return r`<div class="plot" role="group" aria-label="Histogram" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${e?`Histogram of ${i.title.toLowerCase()} of ${b(e.total)} calls`:`Histogram`}
        @pointerdown=${e=>{e.currentTarget.setPointerCapture(e.pointerId);let t=this.#a(e).x;this.drag={x0:t,x1:t}}}
        @pointermove=${e=>this.#o(e)}
        @pointerup=${()=>this.#s()}
        @pointerleave=${()=>this.over=null}
      ></canvas>
      ${e&&e.total===0?r`<p class="note">No calls here have this value.</p>`:n}
      ${t&&e&&!this.drag?r`<div class="tip number">${a(t.bin)} – ${a(t.bin+1)}<br />${b(e.counts[t.bin])} calls, ${v(e.time_ns[t.bin])}</div>`:n}
    </div>`}#u(){let e=this.#e.value,t=e?e.counts.map((e,t)=>t).filter(t=>e.counts[t]):[],n=e?this.#r(e):null;return r`<mp-vtable
      label="Histogram as a table; Enter filters by a row"
      .columns=${[{id:`from`,title:`From`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:r=>$(n,e.edges[t[r]],1e3)},{id:`until`,title:`Until`,isNumber:!0,width:`minmax(130px, 1fr)`,cell:r=>$(n,e.edges[t[r]+1],1e3)},{id:`count`,title:`Calls`,isNumber:!0,cell:n=>b(e.counts[t[n]])},{id:`time`,title:`Time`,isNumber:!0,cell:n=>v(e.time_ns[t[n]])}]}
      .count=${t.length}
      @activate=${n=>e&&this.#c(e.edges[t[n.detail]],e.edges[t[n.detail]+1])}
    ></mp-vtable>`}};f([d()],Pr.prototype,`drag`,void 0),f([d()],Pr.prototype,`over`,void 0),Pr=f([a(`mp-histogram`)],Pr);var Fr=class extends p{static{this.styles=[s,o`
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
    `]}#e=new Q(this);constructor(){super(),new V(this)}willUpdate(){let{app:e}=this;if(!e.store.state.area||e.run?.state!==`ready`)return;let t={...e.scope,by:`function`,sort:`total_ns`,limit:40};this.#e.update(t,n=>e.client.groups(t,n))}render(){let{app:e}=this,{area:t}=e.store.state;if(!t)return r`<p class="muted">Drag over the timeline to select a stretch of time and ranks: its statistics stand here, and the views below are about it alone.</p>`;let i=(t.until-t.from)/1e3,a=t.row_from===null?0:t.row_from,o=(t.row_until===null?e.rows:Math.min(t.row_until,e.rows))-1,s=this.#e.value,c=s?.rows.reduce((e,t)=>e+t.total_ns,0)??0,l=s?.rows.reduce((e,t)=>e+t.share,0)??0,u=e.order?`rows`:`ranks`;return r`<h2 class="number">${v(t.until-t.from)} × ${b(o-a+1)} ${o===a?`rank`:`ranks`}</h2>
      <div class="muted number">${C(t.from,i)} to ${C(t.until,i)}; ${o===a?`rank ${e.worldRank(e.rankAt(a))}`:`${u} ${a} to ${o}`}</div>
      <div class="buttons">
        <button class="line" @click=${()=>e.setWindow({from:t.from,until:t.until,row_from:a,row_until:o+1},!1)}>Zoom to it</button>
        <button class="line" @click=${()=>e.store.set({area:null})}>Take back</button>
      </div>
      ${this.#e.error?I(this.#e.error):n}
      ${s?r`<table aria-busy=${this.#e.isBusy}>
            <thead>
              <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
            </thead>
            <tbody>
              ${s.rows.map(t=>r`<tr>
                  <td>${t.key[0]?.id===null?n:wt(e,t.key[0].id)} ${t.key[0]?.text.replace(/^MPI_/,``)}</td>
                  <td class="number">${b(t.count)}</td>
                  <td class="number">${v(t.total_ns)}</td>
                  <td class="number">${S(t.share)}</td>
                </tr>`)}
              <tr><td><b>in MPI</b></td><td></td><td class="number">${v(c)}</td><td class="number">${S(l)}</td></tr>
            </tbody>
          </table>`:n}`}};f([t({attribute:!1})],Fr.prototype,`app`,void 0),Fr=f([a(`mp-area`)],Fr);var Ir=[[`rank`,`previous`,`next`],[`function`,`previous-function`,`next-function`],[`communicator`,`previous-comm`,`next-comm`],[`call site`,`previous-site`,`next-site`],[`message, collective`,`along-previous`,`along-next`],[`longer`,`previous-longer`,`next-longer`]],Lr={},Rr=e=>Lr[e]??e.replace(/_/g,` `).replace(/\bnxn\b/,`N×N`),zr=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),new V(this)}render(){let{app:e}=this,{selection:t}=e.store.state;if(!t)return r`<div class="body">
        <p class="muted">Click a call in the timeline or a point in the scatter plot, or press <kbd>L</kbd> for the longest call in sight.</p>
        ${this.#o()}
      </div>`;if(e.detailError)return I(e.detailError);let n=e.detail;return n?r`<div class="body">${this.#t(n)} ${this.#o()}</div>`:r`<p class="note" role="status">…</p>`}#e(e){this.app.goTo(async t=>{let n=await this.app.client.call(e,t);return{...e,start_ns:n.start_ns,end_ns:n.start_ns+n.duration_ns}},`This call is not there.`)}#t(e){let{app:t}=this,i=(e,t)=>t==null||t===``?n:r`<dt>${e}</dt><dd class="number">${t}</dd>`,a=e.bytes_sent?y(e.bytes_sent):null,o=e.bytes_received?y(e.bytes_received):null,s=e.bytes_sent+e.bytes_received;return r`<h2>${wt(t,e.function_id)} ${e.function}</h2>
      <div class="number"><b>${v(e.duration_ns)}</b> <span class="muted">on rank ${e.world_rank}${t.run&&t.run.hosts.length>1?r`, ${e.host}`:n}</span></div>
      ${e.is_failed?r`<div class="bad">It failed.</div>`:n}
      ${e.is_poll?r`<div class="muted">${b(e.count)} unsuccessful polls in one</div>`:n}
      ${e.is_nested?r`<div class="muted">Inside of another call</div>`:n}
      <dl>
        ${i(`start`,C(e.start_ns,1))} ${i(`end`,C(e.end_ns??e.start_ns+e.duration_ns,1))}
        ${i(`thread`,(t.run?.ranks.threads[e.rank]??1)>1?e.thread:null)}
        ${i(`communicator`,e.comm)} ${i(`peer`,e.peer===null?null:t.worldRank(e.peer))} ${i(`root`,e.root===null?null:t.worldRank(e.root))}
        ${i(`tag`,e.peer===null?null:e.tag)} ${i(`sent`,a)} ${i(`received`,o)}
        ${i(`elements`,e.elements?r`${b(e.elements)}${e.datatype?r` × ${e.datatype}`:n}`:null)}
        ${i(`bytes in time`,s&&e.duration_ns?`${y(s/e.duration_ns*1e9)}/s`:null)}
        ${i(`region`,e.region)} ${i(`iteration`,e.iteration)} ${i(`call number`,b(e.row))}
      </dl>
      ${this.#r(e)} ${this.#i(e)} ${this.#a(e)} ${this.#n(e)}`}#n(e){let{frames:t,text:i}=e.site;return!i&&!t.length?n:r`<h3>Called from</h3>
      ${t.length>1?r`<ol class="mono">${t.map(e=>r`<li>${e}</li>`)}</ol>`:r`<div class="mono">${t[0]??i}</div>`}`}#r(e){return e.waits.length?r`<h3>Waits in it</h3>
      <ul>
        ${e.waits.map(e=>r`<li>
            ${v(e.end_ns-e.start_ns)} ${Rr(e.kind)}${e.cause?r`, for <button class="link" @click=${()=>this.#e(e.cause)}>rank ${this.app.worldRank(e.cause.rank)}</button>`:n}
          </li>`)}
      </ul>`:n}#i(e){return e.messages.length?r`<h3>Messages</h3>
      <ul>
        ${e.messages.slice(0,12).map(e=>r`<li>
            ${e.direction.startsWith(`s`)?`to`:`from`}
            <button class="link" @click=${()=>this.#e({rank:e.rank,row:e.row})}>rank ${this.app.worldRank(e.rank)}</button>
            ${y(e.bytes)}, tag ${e.tag}${e.received_ns===null?`, never received`:r`, ${v(e.received_ns-e.sent_ns)} on its way`}
          </li>`)}
        ${e.messages.length>12?r`<li class="muted">and ${e.messages.length-12} more</li>`:n}
      </ul>`:n}#a(e){let t=e.collective;return t?r`<h3>Collective operation</h3>
      <dl>
        <dt>which</dt><dd>number ${b(t.number)} on ${t.comm}</dd>
        <dt>members</dt><dd>${b(t.members)}${t.missing?`, ${b(t.missing)} more not recorded`:``}</dd>
        <dt>came in over</dt><dd>${v(t.last_start_ns-t.first_start_ns)}</dd>
        ${t.last_rank===null?n:r`<dt>last</dt><dd>rank ${this.app.worldRank(t.last_rank)}</dd>`}
      </dl>`:n}#o(){let{app:e}=this,t=(t,i)=>{let a=F.find(e=>e.id===t),o=a.keys[0];return r`<button class="line" title=${a.title} ?disabled=${!(a.when?.(e)??!0)} @click=${()=>a.run(e)}>
        <span aria-hidden="true">${i}</span>${o?r`<kbd aria-hidden="true">${Ee(o)}</kbd>`:n}<span class="hidden-text">${a.title}</span>
      </button>`};return r`<h3>Walk</h3>
      <div class="walks">${Ir.map(([e,n,i])=>r`${t(n,`‹`)}<span>${e}</span>${t(i,`›`)}`)}</div>`}};f([t({attribute:!1})],zr.prototype,`app`,void 0),zr=f([a(`mp-inspector`)],zr);var Br=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),this.text=``,this.sort=`time_ns`,new V(this)}#e(){let{app:e}=this,t=e.run;if(!t)return[];let n=(e,t,n,r)=>({key:t,name:e,swatch:n,functions:r.map(e=>e.id),calls:r.reduce((e,t)=>e+t.calls,0),time_ns:r.reduce((e,t)=>e+t.time_ns,0),exclusive_ns:r.reduce((e,t)=>e+t.exclusive_ns,0)}),r=e.store.state.colouring===`class`?t.classes.map(r=>n(r.name,r.id,Tt(e,r.id),t.functions.filter(e=>e.class===r.id))).filter(e=>e.functions.length):t.functions.map(t=>n(t.name,String(t.id),wt(e,t.id),[t])),i=this.text.trim().toLowerCase();return r.filter(e=>e.name.toLowerCase().includes(i)).sort((e,t)=>this.sort===`name`?e.name.localeCompare(t.name):t[this.sort]-e[this.sort]||e.name.localeCompare(t.name))}#t(e,t){let n=new Set(this.app.store.state.hidden);for(let r of e)t?n.delete(r):n.add(r);this.app.store.set({hidden:[...n].sort((e,t)=>e-t)})}#n(e,t){let n=new Set(this.app.store.state.skipped);for(let r of e)t?n.delete(r):n.add(r);this.app.store.set({skipped:[...n].sort((e,t)=>e-t)})}#r(e,t,i){let a=this.sort===e;return r`<th scope="col" aria-sort=${a?e===`name`?`ascending`:`descending`:n} title=${i}>
      <button @click=${()=>this.sort=e}>${t}${a?e===`name`?` ▴`:` ▾`:``}</button>
    </th>`}render(){let{app:e}=this,t=e.run;if(!t)return r``;let n=this.#e(),i=new Set(e.store.state.hidden),a=new Set(e.store.state.skipped),o=n.flatMap(e=>e.functions),s=e.store.state.filter.functions,c=t.functions.reduce((e,t)=>e+t.time_ns,0);return r`<div class="top">
        <input type="search" aria-label="Find in the legend" placeholder="find" .value=${this.text} @input=${e=>this.text=e.target.value} />
        <button class="line" @click=${()=>this.#t(o,!0)}>All</button>
        <button class="line" @click=${()=>this.#t(o,!1)}>None</button>
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
            ${n.map(t=>{let n=t.functions.some(e=>!i.has(e)),o=n&&t.functions.some(e=>!a.has(e)),l=s!==null&&t.functions.length===s.length&&t.functions.every(e=>s.includes(e));return r`<tr class=${n?``:`off`}>
                <td title=${t.name}>
                  <div class="name">
                    <input type="checkbox" title="Show" aria-label="Show ${t.name}" .checked=${n} @change=${()=>this.#t(t.functions,!n)} />
                    ${t.swatch}
                    <button
                      aria-pressed=${l}
                      title="Only ${t.name}, in all views"
                      @click=${()=>e.store.set({filter:{...e.store.state.filter,functions:l?null:t.functions}})}
                    >
                      ${t.name.replace(/^MPI_/,``)}
                    </button>
                    <button
                      class="search"
                      title=${o?`Searching and walking stop at it`:`Searching and walking pass it over`}
                      aria-label="Search ${t.name}"
                      aria-pressed=${o}
                      ?disabled=${!n}
                      @click=${()=>this.#n(t.functions,!o)}
                    >
                      <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
                        <circle cx="5" cy="5" r="3.6"></circle>
                        <path d=${o?`M7.8 7.8L11 11`:`M7.8 7.8L11 11M1 11L11 1`}></path>
                      </svg>
                    </button>
                  </div>
                </td>
                <td class="number" title=${b(t.calls)}>${x(t.calls)}</td>
                <td class="number" title="${S(t.time_ns/Math.max(1,c))} of the time in MPI">${v(t.time_ns)}</td>
                <td class="number">${v(t.exclusive_ns)}</td>
              </tr>`})}
          </tbody>
        </table>
      </div>
      <div class="ground">
        <span>${Et(z(pt[e.theme]))} computing</span>
        <span>${Et(`#d9a43a`,!0)} waiting, inside of a call</span>
      </div>`}};f([t({attribute:!1})],Br.prototype,`app`,void 0),f([d()],Br.prototype,`text`,void 0),f([d()],Br.prototype,`sort`,void 0),Br=f([a(`mp-legend`)],Br);var Vr=[{id:`bytes`,title:`Bytes`,text:y},{id:`count`,title:`Messages`,text:b},{id:`mean`,title:`Mean size`,text:y},{id:`latency`,title:`Mean time sent to received`,text:v},{id:`longest`,title:`Longest time sent to received`,text:v}],Hr=256;function Ur(e,t,n){switch(n){case`count`:return e.count[t];case`mean`:return e.count[t]>0?e.bytes[t]/e.count[t]:0;case`latency`:return e.latency_ns[t];case`longest`:return e.longest_ns[t];default:return e.bytes[t]}}var Wr=class extends jr{constructor(...e){super(...e),this.view=`matrix`,this.#e=new Q(this),this.over=null,this.#t=null,this.#n=null}#e;#t;#n;willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by:t,comm:n}=e.store.state.matrix,r={...se(e.store.state,e.window),comm:n??e.store.state.filter.comm,by:t,blocks:Hr};this.#e.update([r,e.growth],t=>e.client.matrix(r,t))}#r(e,t){let n=this.#e.value;if(!n)return-1;if(this.#n?.of!==n){let e=new Map;for(let t=0;t<n.sender.length;t++)e.set(n.sender[t]*n.rows+n.receiver[t],t);this.#n={of:n,at:e}}return this.#n.at.get(e*n.rows+t)??-1}paint(e){let t=Ar(e);if(!t)return;let{c:n,width:r,height:i}=t,{app:a}=this,o=K[a.theme];n.fillStyle=o.panel,n.fillRect(0,0,r,i);let s=this.#e.value;if(!s||!s.rows)return;let c=Math.min(r-84-120,i-30-12),l=Math.max(.5,Math.min(40,c/s.rows));this.#t={left:84,top:30,size:l};let u=l*s.rows;n.fillStyle=o.faint,n.fillRect(84,30,u,u);let{value:d}=a.store.state.matrix,f=0;for(let e=0;e<s.sender.length;e++)f=Math.max(f,Ur(s,e,d));let p=+(l>6);for(let e=0;e<s.sender.length;e++)n.fillStyle=z(Ct(.18+.82*(f>0?Ur(s,e,d)/f:0),a.theme)),n.fillRect(84+s.receiver[e]*l,30+s.sender[e]*l,Math.max(1,l-p),Math.max(1,l-p));n.strokeStyle=o.line,n.strokeRect(83.5,29.5,u+1,u+1),this.#i(n,s,{left:84,top:30,size:l}),this.#a(n,{x:84+u+18,y:30,h:Math.min(u,160)},f,Vr.find(e=>e.id===d).text),this.over&&(n.strokeStyle=o.accent,n.lineWidth=2,n.strokeRect(84+this.over.receiver*l,30+this.over.sender*l,Math.max(2,l),Math.max(2,l)),n.lineWidth=1)}#i(e,t,{left:n,top:r,size:i}){let a=K[this.app.theme];e.font=q,e.fillStyle=a.muted;let o=Math.max(1,Math.ceil(14/i)),s=Math.max(1,Math.ceil(24/i)),c=t.labels.every(e=>e.length<=5);for(let a=0;a<t.rows;a++){let l=t.labels[a]??String(a);a%o===0&&(e.textAlign=`right`,e.textBaseline=`middle`,e.fillText(l,n-5,r+(a+.5)*i,n-22)),a%s===0&&c&&(e.textAlign=`center`,e.textBaseline=`bottom`,e.fillText(l,n+(a+.5)*i,r-3))}e.fillStyle=a.text,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(`receiver →`,n,3),e.save(),e.translate(9,r),e.rotate(-Math.PI/2),e.textAlign=`right`,e.textBaseline=`middle`,e.fillText(`← sender`,0,0),e.restore()}#a(e,t,n,r){let i=K[this.app.theme];for(let n=0;n<t.h;n++)e.fillStyle=z(Ct(.18+.82*(1-n/t.h),this.app.theme)),e.fillRect(t.x,t.y+n,12,1.5);e.fillStyle=i.muted,e.font=q,e.textAlign=`left`,e.textBaseline=`top`,e.fillText(r(n),t.x+17,t.y),e.textBaseline=`bottom`,e.fillText(`0`,t.x+17,t.y+t.h)}#o(e){let t=this.#e.value,n=this.#t;if(!t||!n)return null;let r=this.renderRoot.querySelector(`.plot`).getBoundingClientRect(),i=e.clientX-r.left,a=e.clientY-r.top,o=Math.floor((i-n.left)/n.size),s=Math.floor((a-n.top)/n.size);return s<0||o<0||s>=t.rows||o>=t.rows?null:{x:i,y:a,sender:s,receiver:o}}#s(e,t){let n=this.#e.value,{app:r}=this;if(!n||!r.run)return;let{filter:i,matrix:a}=r.store.state;if(a.by===`host`){let n=r.run.ranks.host.flatMap((e,n)=>e===t?[n]:[]);r.store.set({filter:{...i,host:e,peer:null,peers:w(n)}});return}let o=Math.max(1,n.ranks_per_block),s=r.run.ranks.count-1,c=e=>`${e*o}-${Math.min(s,(e+1)*o-1)}`,l=o===1?{ranks:String(e),peer:t,peers:null}:{ranks:c(e),peer:null,peers:c(t)};r.store.set({filter:{...i,...l}})}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let{app:e}=this,t=e.store.state.matrix,n=e.run?.communicators??[],i=t=>e.store.set({matrix:{...e.store.state.matrix,...t}});return r`<div class="controls">
        <label>show
          <select aria-label="Value" @change=${e=>i({value:e.target.value})}>
            ${Vr.map(e=>r`<option value=${e.id} ?selected=${e.id===t.value}>${e.title}</option>`)}
          </select></label>
        <label>by
          <select aria-label="Rows and columns" @change=${e=>i({by:e.target.value})}>
            <option value="rank" ?selected=${t.by===`rank`}>rank</option>
            <option value="host" ?selected=${t.by===`host`}>host</option>
          </select></label>
        <label>on
          <select aria-label="Communicator" @change=${e=>i({comm:e.target.value===``?null:Number(e.target.value)})}>
            <option value="" ?selected=${t.comm===null}>all communicators</option>
            ${n.slice(0,200).map(e=>r`<option value=${e.id} ?selected=${e.id===t.comm}>${e.name}</option>`)}
          </select></label>
        <span class="space"></span>
        ${this.twinButton()}
      </div>
      ${e.run?.state===`ready`?this.#e.error?I(this.#e.error):this.isTwin?this.#l():this.#c():L()}`}#c(){let e=this.#e.value,t=this.over,i=t?this.#r(t.sender,t.receiver):-1;return r`<div class="plot" role="group" aria-label="Communication matrix" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${e?`Communication matrix of ${e.rows} rows, ${b(e.sender.length)} pairs that exchange messages`:`Communication matrix`}
        @pointermove=${e=>this.over=this.#o(e)}
        @pointerleave=${()=>this.over=null}
        @click=${e=>{let t=this.#o(e);t&&this.#s(t.sender,t.receiver)}}
      ></canvas>
      ${e&&!e.sender.length?r`<p class="note">No messages here.</p>`:n}
      ${t&&e?r`<div class="tip number">
            <b>${e.labels[t.sender]} → ${e.labels[t.receiver]}</b><br />
            ${i<0?`no messages`:r`${b(e.count[i])} messages, ${y(e.bytes[i])}<br />mean ${v(e.latency_ns[i])}, longest
                  ${v(e.longest_ns[i])}`}
          </div>`:n}
    </div>`}#l(){let e=this.#e.value,{value:t}=this.app.store.state.matrix,n=e?Array.from(e.sender,(e,t)=>t).sort((n,r)=>Ur(e,r,t)-Ur(e,n,t)):[],i=[{id:`sender`,title:`Sender`,isNumber:!0,cell:t=>e.labels[e.sender[n[t]]]??``},{id:`receiver`,title:`Receiver`,isNumber:!0,cell:t=>e.labels[e.receiver[n[t]]]??``},...Vr.map(t=>({id:t.id,title:t.title,isNumber:!0,width:`minmax(110px, 1fr)`,cell:r=>t.text(Ur(e,n[r],t.id))}))];return r`<mp-vtable
      label="Communication matrix as a table; Enter filters by a row"
      .columns=${i}
      .count=${n.length}
      @activate=${t=>e&&this.#s(e.sender[n[t.detail]],e.receiver[n[t.detail]])}
    ></mp-vtable>`}};f([d()],Wr.prototype,`over`,void 0),Wr=f([a(`mp-matrix`)],Wr);var Gr=2e4,Kr=8,qr=class extends jr{constructor(...e){super(...e),this.view=`scatter`,this.#e=new Q(this),this.drag=null,this.over=null,this.#t=null,this.#n=null}#e;#t;#n;#r(){return this.app.run?.fields??[]}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let t=e.store.state.scatter,n=Math.max(64,Math.min(1024,Math.round((this.clientWidth||600)-90))),r=Math.max(48,Math.min(1024,Math.round((this.clientHeight||300)-82))),i={...e.scope,x:t.x,y:t.y,x_log:t.x_log,y_log:t.y_log,x_min:t.x_min,x_max:t.x_max,y_min:t.y_min,y_max:t.y_max,width:Math.ceil(n/2),height:Math.ceil(r/2),points:Gr};this.#e.update([i,e.growth],t=>e.client.scatter(i,t))}resized(){this.requestUpdate()}#i(e){let t=this.#r().find(t=>t.id===e.field),n={scale:{min:e.min,max:e.max,isLog:e.is_log},unit:t?.unit??``,title:t?.name??e.field,isMoment:e.field===`start`||e.field===`end`};return e.field===`function`&&(n.text=e=>this.app.names?.short(Math.round(e))??``),n}#a(e){let{app:t}=this,n=t.names?.classOf(e)??`local`;return z(t.store.state.colouring===`class`?B(n,t.theme):xt(e,n,t.theme))}paint(e){let t=Ar(e);if(!t)return;let{c:n,width:r,height:i}=t,a=K[this.app.theme];n.fillStyle=a.panel,n.fillRect(0,0,r,i);let o=this.#e.value;if(!o||o.total===0)return;let s=Or(r,i);this.#t=s;let c=this.#i(o.x),l=this.#i(o.y);if(kr(n,s,c,l,a),n.save(),n.beginPath(),n.rect(s.left,s.top,s.width,s.height),n.clip(),o.density?this.#s(n,s,o):this.#o(n,s,o,c,l),this.#c(n,s,o,c,l),this.#l(n,s,o,c,l),n.restore(),this.drag){let{x0:e,y0:t,x1:r,y1:i}=this.drag;n.strokeStyle=a.accent,n.lineWidth=1.5,n.fillStyle=a.shade,n.fillRect(Math.min(e,r),Math.min(t,i),Math.abs(r-e),Math.abs(i-t)),n.strokeRect(Math.min(e,r),Math.min(t,i),Math.abs(r-e),Math.abs(i-t))}}#o(e,t,n,r,i){let a=n.points,o=new Set(this.app.store.state.hidden),s=a.x.length>6e3?2:3,c=new Map;for(let n=0;n<a.x.length;n++){let l=a.function[n];if(o.has(l))continue;let u=c.get(l);u||c.set(l,u=this.#a(l)),e.fillStyle!==u&&(e.fillStyle=u);let d=t.left+H(r.scale,a.x[n])*t.width,f=t.top+(1-H(i.scale,a.y[n]))*t.height;e.fillRect(d-s/2,f-s/2,s,s)}}#s(e,t,n){let{app:r}=this;if(this.#n?.of!==n||this.#n.theme!==r.theme){let{width:e,height:t,count:i}=n.density,a=new ImageData(e,t),o=1;for(let e of i)o=Math.max(o,e);let s=Math.log(o+1);for(let n=0;n<t;n++)for(let o=0;o<e;o++){let c=i[n*e+o];if(!c)continue;let l=Ct(.25+.75*Math.log(c+1)/s,r.theme),u=((t-1-n)*e+o)*4;a.data[u]=l>>16,a.data[u+1]=l>>8&255,a.data[u+2]=l&255,a.data[u+3]=255}let c=new OffscreenCanvas(e,t);c.getContext(`2d`).putImageData(a,0,0),this.#n={of:n,theme:r.theme,canvas:c}}e.imageSmoothingEnabled=!1,e.drawImage(this.#n.canvas,t.left,t.top,t.width,t.height)}#c(e,t,n,r,i){let a=n.fit;if(a&&a.bytes_per_ns>0){e.strokeStyle=K[this.app.theme].path,e.lineWidth=1.5,e.setLineDash([5,3]),e.beginPath();for(let n=0;n<=60;n++){let o=Dt(r.scale,n/60),s=t.left+n/60*t.width,c=t.top+(1-H(i.scale,a.latency_ns+o/a.bytes_per_ns))*t.height;n===0?e.moveTo(s,c):e.lineTo(s,c)}e.stroke(),e.setLineDash([])}}#l(e,t,n,r,i){let{selection:a}=this.app.store.state,o=n.points;if(a&&o)for(let n=0;n<o.x.length;n++){if(o.rank[n]!==a.rank||o.row[n]!==a.row)continue;let s=t.left+H(r.scale,o.x[n])*t.width,c=t.top+(1-H(i.scale,o.y[n]))*t.height;e.strokeStyle=K[this.app.theme].selection,e.lineWidth=2,e.beginPath(),e.arc(s,c,6,0,7),e.stroke()}}#u(e,t){let n=this.#e.value,r=this.#t;if(!n?.points||!r)return-1;let i=this.#i(n.x).scale,a=this.#i(n.y).scale,o=-1,s=Kr**2;for(let c=0;c<n.points.x.length;c++){let l=r.left+H(i,n.points.x[c])*r.width-e,u=r.top+(1-H(a,n.points.y[c]))*r.height-t,d=l*l+u*u;d<s&&(s=d,o=c)}return o}#d(e){let t=this.renderRoot.querySelector(`.plot`).getBoundingClientRect();return{x:e.clientX-t.left,y:e.clientY-t.top}}#f(e){if(e.button!==0||!this.#t)return;let{x:t,y:n}=this.#d(e);e.currentTarget.setPointerCapture(e.pointerId),this.drag={x0:t,y0:n,x1:t,y1:n}}#p(e){let{x:t,y:n}=this.#d(e);if(this.drag)this.drag={...this.drag,x1:t,y1:n};else{let e=this.#u(t,n);this.over=e>=0?{x:t,y:n,index:e}:null}}#m(){let e=this.drag;if(this.drag=null,!e)return;if(Math.abs(e.x1-e.x0)<4&&Math.abs(e.y1-e.y0)<4){this.#h(this.#u(e.x1,e.y1));return}let t=this.#e.value,n=this.#t;if(!t||!n)return;let r=(e,t,n)=>Math.max(0,Math.min(1,(e-t)/n)),i=[e.x0,e.x1].map(e=>Dt(this.#i(t.x).scale,r(e,n.left,n.width))).sort((e,t)=>e-t),a=[e.y0,e.y1].map(e=>Dt(this.#i(t.y).scale,1-r(e,n.top,n.height))).sort((e,t)=>e-t);this.#g({x_min:i[0],x_max:i[1],y_min:a[0],y_max:a[1]})}#h(e){let t=this.#e.value?.points;if(!t||e<0)return;let n={rank:t.rank[e],row:t.row[e]};this.app.goTo(async e=>{let t=await this.app.client.call(n,e);return{...n,start_ns:t.start_ns,end_ns:t.start_ns+t.duration_ns}},`This call is not there any more.`)}#g(e){this.app.store.set({scatter:{...this.current(),...e}})}current(){return this.app.store.state.scatter}updated(){super.updated(),this.over&&this.placeTip(this.over.x,this.over.y)}render(){let e=this.current(),t=this.#e.value,i=e.x_min!==null||e.y_min!==null,a=this.#r().filter(e=>e.id!==`iteration`||this.app.run?.iterations),o=e=>a.map(t=>r`<option value=${t.id} ?selected=${t.id===e}>${t.name}</option>`),s={x_min:null,x_max:null,y_min:null,y_max:null};return r`<div class="controls">
        <label>y <select aria-label="Vertical axis" @change=${e=>this.#g({y:e.target.value,...s})}>${o(e.y)}</select></label>
        <label><input type="checkbox" aria-label="Vertical axis logarithmic" .checked=${e.y_log} @change=${e=>this.#g({y_log:e.target.checked})} />log</label>
        <label>x <select aria-label="Horizontal axis" @change=${e=>this.#g({x:e.target.value,...s})}>${o(e.x)}</select></label>
        <label><input type="checkbox" aria-label="Horizontal axis logarithmic" .checked=${e.x_log} @change=${e=>this.#g({x_log:e.target.checked})} />log</label>
        ${i?r`<button class="line" @click=${()=>this.#g(s)}>All values</button>`:n}
        <span class="space"></span>
        <span class="muted">${t?this.#_(t):``}</span>
        ${this.twinButton()}
      </div>
      ${this.app.run?.state===`ready`?this.#e.error?I(this.#e.error):this.isTwin?this.#b():this.#v():L()}`}#_(e){let t=e.fit&&e.fit.bytes_per_ns>0?` · fit ${v(Math.max(0,e.fit.latency_ns))} + bytes ÷ ${ee(e.fit.bytes_per_ns*1e9)} (R² ${e.fit.r2.toFixed(2)})`:``;return`${x(e.total)} calls${e.form===`density`?`, density`:``}${t}`}#v(){let e=this.#e.value,{app:t}=this,i=e?.points,a=this.over,o=e?`${this.#i(e.y).title} against ${this.#i(e.x).title} of ${b(e.total)} calls`:`Scatter plot`;return r`<div class="plot" role="group" aria-label="Scatter plot" aria-busy=${this.#e.isBusy}>
      <canvas
        role="img"
        aria-label=${o}
        @pointerdown=${e=>this.#f(e)}
        @pointermove=${e=>this.#p(e)}
        @pointerup=${()=>this.#m()}
        @pointerleave=${()=>this.over=null}
      ></canvas>
      ${e&&e.total===0?r`<p class="note">No calls here have both values.</p>`:n}
      ${a&&i&&!this.drag?r`<div class="tip">
            <b>${t.names?.function(i.function[a.index])}</b> <span class="muted">rank ${t.worldRank(i.rank[a.index])}</span><br />
            ${this.#y(e.y,i.y[a.index])}; ${this.#y(e.x,i.x[a.index])}
          </div>`:n}
    </div>`}#y(e,t){let n=this.#i(e);return`${n.title.toLowerCase()} ${$(n,t,1)}`}#b(){let e=this.#e.value;if(!e)return r`<mp-vtable label="Scatter as a table" .columns=${[]} .count=${0} empty="…"></mp-vtable>`;let{app:t}=this,n=this.#i(e.x),i=this.#i(e.y);if(e.points){let a=e.points,o=[{id:`function`,title:`Function`,cell:e=>t.names?.function(a.function[e])??``},{id:`rank`,title:`Rank`,isNumber:!0,cell:e=>String(t.worldRank(a.rank[e]))},{id:`x`,title:n.title,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>$(n,a.x[e],1)},{id:`y`,title:i.title,isNumber:!0,width:`minmax(130px, 1fr)`,cell:e=>$(i,a.y[e],1)}];return r`<mp-vtable
        label="Scatter as a table; Enter shows a call in the timeline"
        .columns=${o}
        .count=${a.x.length}
        @activate=${e=>this.#h(e.detail)}
      ></mp-vtable>`}let a=e.density,o=[];a.count.forEach((e,t)=>e&&o.push(t)),o.sort((e,t)=>a.count[t]-a.count[e]);let s=(e,t,n)=>{let r=t=>e.isMoment?C(t,1e3):e.text?e.text(t):ne(t,e.unit);return`${r(Dt(e.scale,t/n))} – ${r(Dt(e.scale,(t+1)/n))}`},c=[{id:`count`,title:`Calls`,isNumber:!0,cell:e=>b(a.count[o[e]])},{id:`x`,title:n.title,isNumber:!0,width:`minmax(190px, 2fr)`,cell:e=>s(n,o[e]%a.width,a.width)},{id:`y`,title:i.title,isNumber:!0,width:`minmax(190px, 2fr)`,cell:e=>s(i,Math.floor(o[e]/a.width),a.height)},{id:`function`,title:`Commonest`,cell:e=>t.names?.function(a.function[o[e]])??``}];return r`<mp-vtable label="Scatter as a table of densities" .columns=${c} .count=${o.length} .canActivate=${!1}></mp-vtable>`}};f([d()],qr.prototype,`drag`,void 0),f([d()],qr.prototype,`over`,void 0),qr=f([a(`mp-scatter`)],qr);var Jr=[{id:`function`,title:`Function`},{id:`site`,title:`Call site`},{id:`rank`,title:`Rank`},{id:`host`,title:`Host`},{id:`peer`,title:`Peer`},{id:`comm`,title:`Communicator`},{id:`size_bin`,title:`Size bin`},{id:`bytes`,title:`Bytes`},{id:`tag`,title:`Tag`},{id:`region`,title:`Region`},{id:`iteration`,title:`Iteration`},{id:`thread`,title:`Thread`},{id:`class`,title:`Class`}],Yr=e=>Jr.find(t=>t.id===e)?.title??e;function Xr(e,t,n){let{id:r}=t;if(r===null)return null;switch(e){case`function`:return{functions:[r]};case`class`:return{functions:n(r)};case`rank`:return{ranks:String(r)};case`bytes`:return{bytes_min:r,bytes_max:r};case`size_bin`:return Qr(r);case`host`:case`peer`:case`comm`:case`tag`:case`site`:case`region`:case`iteration`:case`thread`:return{[e]:r};default:return null}}var Zr=31;function Qr(e){return e>=Zr?{bytes_min:2**30,bytes_max:null}:e<=0?{bytes_min:0,bytes_max:0}:{bytes_min:2**(e-1),bytes_max:2**e-1}}var $r=5e3,ei=[`count`,`total_ns`,`mean_ns`,`max_ns`,`bytes`],ti=[{id:`count`,title:`Count`,text:b},{id:`total_ns`,title:`Total`,text:v},{id:`share`,title:`Share`,text:S,help:`Of the time of all ranks in the stretch`},{id:`mean_ns`,title:`Mean`,text:v},{id:`median_ns`,title:`Median`,text:v},{id:`min_ns`,title:`Min`,text:v},{id:`max_ns`,title:`Max`,text:v},{id:`p95_ns`,title:`P95`,text:v,help:`95 of 100 calls take at most so long`},{id:`p99_ns`,title:`P99`,text:v,help:`99 of 100 calls take at most so long`},{id:`sd_ns`,title:`SD`,text:v,help:`Standard deviation`},{id:`bytes`,title:`Bytes`,text:y}];function ni(e,t,n){let r=n?1:-1,i=/^key(\d)$/.exec(t),a=(e,n)=>{if(i){let t=Number(i[1]),[r,a]=[e.key[t],n.key[t]];return(r?.text??``).localeCompare(a?.text??``,`en`,{numeric:!0})}return(e[t]??0)-(n[t]??0)};return[...e].sort((e,t)=>r*a(e,t))}var ri=class extends p{static{this.styles=[s,u,o`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      mp-vtable {
        flex: 1;
      }
    `]}#e=new Q(this);constructor(){super(),new V(this)}willUpdate(){let{app:e}=this;if(e.run?.state!==`ready`)return;let{by:t,sort:n}=e.store.state.table,r={...e.scope,by:t,sort:ei.includes(n)?n:`total_ns`,limit:$r};this.#e.update([r,e.growth],t=>e.client.groups(r,t))}#t(e,t){let n=this.app.store.state.table.by.split(`,`);t===``?n.splice(e,1):n[e]=t,this.app.store.set({table:{...this.app.store.state.table,by:[...new Set(n)].join(`,`)}})}#n(e){let{table:t}=this.app.store.state,n=t.sort===e?!t.ascending:e.startsWith(`key`)||e===`min_ns`;this.app.store.set({table:{...t,sort:e,ascending:n}})}#r(e){let{app:t}=this,n=t.store.state.table.by.split(`,`),r=t.run?.classes??[],i=e=>(t.run?.functions??[]).filter(t=>t.class===r[e]?.id).map(e=>e.id),a=t.store.state.filter,o=!1;n.forEach((t,n)=>{let r=e.key[n]?Xr(t,e.key[n],i):null;r&&(a={...a,...r},o=!0)}),o?t.store.set({filter:a}):t.say(`Calls without such a value cannot be filtered by it.`)}render(){let{app:e}=this,{by:t,sort:i,ascending:a}=e.store.state.table,o=t.split(`,`),s=this.#e.value,c=s?ni(s.rows,i,a):[],l=[...o.map((e,t)=>({id:`key${t}`,title:Yr(e),isSortable:!0,width:`minmax(130px, 2.5fr)`,cell:n=>this.#i(e,c[n],t)})),...ti.map(({id:e,title:t,text:n,help:r})=>({id:e,title:t,isNumber:!0,isSortable:!0,...r?{help:r}:{},cell:t=>n(c[t][e])}))],u=Jr.filter(t=>t.id!==`iteration`||e.run?.iterations).filter(t=>t.id!==`region`||e.run?.regions.length),d=(e,t)=>r`${t?r`<option value="" ?selected=${!e}>–</option>`:n}${u.map(t=>r`<option value=${t.id} ?selected=${t.id===e}>${t.title}</option>`)}`;return r`<div class="controls">
        <label>group by
          <select @change=${e=>this.#t(0,e.target.value)}>${d(o[0],!1)}</select></label>
        <label>and
          <select @change=${e=>this.#t(1,e.target.value)}>${d(o[1],!0)}</select></label>
        <span class="space"></span>
        <span class="muted">${s?s.is_cut?`the first ${b(s.rows.length)} of ${b(s.total)} groups`:`${b(s.total)} groups`:``}</span>
      </div>
      ${e.run?.state===`ready`?this.#e.error?I(this.#e.error):r`<mp-vtable
            label="Statistics of calls; Enter filters by a row"
            aria-busy=${this.#e.isBusy}
            .columns=${l}
            .count=${c.length}
            .sort=${{id:i,ascending:a}}
            empty=${this.#e.isBusy?`…`:`No calls here.`}
            @sort=${e=>this.#n(e.detail)}
            @activate=${e=>c[e.detail]&&this.#r(c[e.detail])}
          ></mp-vtable>`:L()}`}#i(e,t,n){let i=t.key[n];return i?e===`function`&&i.id!==null?r`${wt(this.app,i.id)} ${i.text}`:e===`bytes`&&i.id!==null?y(i.id):(e===`rank`||e===`peer`)&&i.id!==null?String(this.app.worldRank(i.id)):i.text||`none`:``}};f([t({attribute:!1})],ri.prototype,`app`,void 0),ri=f([a(`mp-table`)],ri);var ii=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),new V(this)}render(){let{app:e}=this,{finding:t,selection:i}=e.store.state,a=t===null?null:e.report?.explanation?.findings[t]??null;if(!a||t===null)return n;let o=a.proof.findIndex(t=>i!==null&&e.rankOfWorld(t.rank)===i.rank&&t.row===i.row),s=n=>{let r=o<0?0:(o+n+a.proof.length)%a.proof.length;rr(e,t,a.proof[r])};return r`<div class="bar" role="region" aria-label="Finding">
      <b title=${a.title}>${a.title}</b>
      ${a.proof.length?r`<span class="muted number">${o>=0?`place ${o+1} of ${a.proof.length}`:`${a.proof.length} places`}</span>
            <button class="line" @click=${()=>s(-1)}>Previous place</button>
            <button class="line" @click=${()=>s(1)}>Next place</button>`:n}
      <button class="line" @click=${()=>e.store.set({page:`overview`})}>All findings</button>
      <button class="line" aria-label="Close the finding" @click=${()=>e.store.set({finding:null})}>✕</button>
    </div>`}};f([t({attribute:!1})],ii.prototype,`app`,void 0),ii=f([a(`mp-proofs`)],ii);function ai(e,t){let n=[],{names:r,run:i}=e;if(t.functions){let e=t.functions.slice(0,3).map(e=>r?.function(e)??String(e));n.push({text:e.join(`, `)+(t.functions.length>3?` and ${t.functions.length-3} more`:``),without:{functions:null}})}t.ranks!==null&&n.push({text:`${/[-,]/.test(t.ranks)?`ranks`:`rank`} ${t.ranks}`,without:{ranks:null}}),t.host!==null&&n.push({text:`host ${i?.hosts[t.host]??t.host}`,without:{host:null}}),t.peer!==null&&n.push({text:`peer ${t.peer}`,without:{peer:null}}),t.peers!==null&&n.push({text:`peers ${t.peers}`,without:{peers:null}}),t.comm!==null&&n.push({text:r?.comm(t.comm)??`communicator ${t.comm}`,without:{comm:null}}),t.site!==null&&n.push({text:r?.site(t.site)||`call site ${t.site}`,without:{site:null}}),t.region!==null&&n.push({text:`region ${r?.region(t.region)??t.region}`,without:{region:null}}),t.tag!==null&&n.push({text:`tag ${t.tag}`,without:{tag:null}}),t.thread!==null&&n.push({text:`thread ${t.thread}`,without:{thread:null}}),t.iteration!==null&&n.push({text:`iteration ${b(t.iteration)}`,without:{iteration:null}});let a=(e,t,n)=>e!==null&&e===t?n(e):[e===null?``:`from ${n(e)}`,t===null?``:`to ${n(t)}`].filter(Boolean).join(` `);return(t.bytes_min!==null||t.bytes_max!==null)&&n.push({text:a(t.bytes_min,t.bytes_max,y),without:{bytes_min:null,bytes_max:null}}),(t.duration_min!==null||t.duration_max!==null)&&n.push({text:`duration ${a(t.duration_min,t.duration_max,v)}`,without:{duration_min:null,duration_max:null}}),n}var oi=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),new V(this)}render(){let{app:e}=this,{filter:t,hidden:i}=e.store.state,a=ai(e,t);return!a.length&&!i.length?n:r`${a.map(t=>r`<span class="chip" title=${t.text}
        ><span>${t.text}</span
        ><button aria-label="Take the filter away: ${t.text}" @click=${()=>e.store.set({filter:{...e.store.state.filter,...t.without}})}>✕</button></span
      >`)}
    ${i.length?r`<span class="chip"
          ><span>${i.length} hidden</span><button aria-label="Show all hidden functions" @click=${()=>e.store.set({hidden:[]})}>✕</button></span
        >`:n}
    ${a.length>1?r`<button @click=${()=>e.store.set({filter:A,hidden:[]})}>Take all away</button>`:n}`}};f([t({attribute:!1})],oi.prototype,`app`,void 0),oi=f([a(`mp-filters`)],oi);var si={messages:`Messages`,collectives:`Collectives`,waits:`Waits`,path:`Critical path`,regions:`Regions`},ci=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),new V(this)}#e(e){let{order:t}=this.app.store.state;return k(k(e,`ranks`,O(t,`ranks`)),`pin`,O(t,`pin`))}render(){let{app:e}=this,t=e.store.state,i=k(k(t.order,`ranks`,null),`pin`,null),a=nt.some(e=>e.order===i),{from:o,until:s}=e.window,c=Pe.filter(t=>t!==`regions`||e.run?.regions.length);return r`<div class="bar" role="toolbar" aria-label="Timeline">
      <label
        >ranks
        <select
          aria-label="Order of ranks"
          @change=${t=>e.store.set({order:this.#e(t.target.value),row_from:null,row_until:null})}
        >
          ${nt.filter(t=>!t.order.includes(`host`)||(e.run?.hosts.length??0)>1||t.order===i).map(e=>r`<option value=${e.order} ?selected=${e.order===i}>${e.title}</option>`)}
          ${(e.run?.communicators??[]).filter(e=>e.size>1).slice(0,30).map(e=>r`<option value="group:comm:${e.id}" ?selected=${`group:comm:${e.id}`===i}>Together: ${e.name}</option>`)}
          ${a||i.startsWith(`group:comm`)?n:r`<option value=${i} selected>${i}</option>`}
        </select></label
      >
      <span class="set" role="group" aria-label="What is drawn over the timeline">
        ${c.map(n=>{let i=F.find(e=>e.id===`layer-${n}`);return r`<button aria-pressed=${t.layers.includes(n)} title="${Ze(n)} (${i.keys.map(Ee).join(`, `)})" @click=${()=>i.run(e)}>
            ${si[n]}
          </button>`})}
      </span>
      <button class="line" aria-pressed=${t.twins.includes(`timeline`)} @click=${()=>st(e,`timeline`)}>As a table</button>
      ${O(t.order,`ranks`)===null?n:r`<button class="line" @click=${()=>F.find(e=>e.id===`all-ranks`).run(e)}>Show all ranks</button>`}
      <mp-filters .app=${e}></mp-filters>
      <span class="space"></span>
      <span class="muted number">${C(o,(s-o)/100)} + ${v(s-o)}</span>
      <button class="line" title="From the end of MPI_Init to MPI_Finalize (9)" ?disabled=${!He(e)} @click=${()=>e.setWindow(He(e),!1)}>
        Main part
      </button>
      <button class="line" ?disabled=${t.from===null&&t.row_from===null} @click=${()=>e.setWindow(e.whole,!1)}>Whole run</button>
    </div>`}};f([t({attribute:!1})],ci.prototype,`app`,void 0),ci=f([a(`mp-toolbar`)],ci);var li=`mpiscope.split`,ui=.2,di=.85,fi=class extends p{static{this.styles=[s,o`
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
    `]}#e;#t;constructor(){super(),this.split=Number(localStorage.getItem(li))||.55,this.tab=`call`,this.#e=``,this.#t=``,new V(this,()=>this.#n())}#n(){let{area:e,selection:t}=this.app.store.state,n=JSON.stringify(e),r=JSON.stringify(t);n!==this.#e&&e?this.tab=`area`:r!==this.#t&&t&&(this.tab=`call`),this.#e=n,this.#t=r}#r(e){this.split=Math.max(ui,Math.min(di,e)),localStorage.setItem(li,String(this.split))}#i(e){if(!e.buttons)return;let t=this.renderRoot.querySelector(`.main`).getBoundingClientRect();this.#r((e.clientY-t.top)/t.height)}#a(e){if(e.key===`ArrowUp`)this.#r(this.split-.04);else if(e.key===`ArrowDown`)this.#r(this.split+.04);else return;e.preventDefault()}updated(){this.renderRoot.querySelector(`.main`)?.style.setProperty(`--split`,`${(this.split*100).toFixed(1)}%`)}render(){let{app:e}=this;return r`<mp-toolbar .app=${e}></mp-toolbar>
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
            aria-valuemin=${ui*100}
            aria-valuemax=${di*100}
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
              ${this.tab===`call`?r`<mp-inspector .app=${e}></mp-inspector>`:r`<mp-area .app=${e}></mp-area>`}
            </div>
          </section>
        </aside>
      </div>`}#o(e,t,n,i,a=``){return r`<div class="tabs">
      <div role="tablist" aria-label=${e} @keydown=${e=>{let r=e.key===`ArrowRight`?1:e.key===`ArrowLeft`?-1:0;if(!r)return;e.preventDefault();let a=(t.findIndex(([e])=>e===n)+r+t.length)%t.length;i(t[a][0]),e.currentTarget.querySelectorAll(`[role="tab"]`)[a]?.focus()}}>
        ${t.map(([e,t])=>r`<button role="tab" aria-selected=${e===n} tabindex=${e===n?0:-1} @click=${()=>i(e)}>${t}</button>`)}
      </div>
      ${a}
    </div>`}#s(e){let{app:t}=this,n=t.store.state[e],i=e===`left`?r`<span class="space"></span>
            ${t.store.state.area?r`<span class="muted">selected area</span>`:r`<select aria-label="What the panes are about" @change=${e=>t.store.set({scope:e.target.value})}>
                  <option value="window" ?selected=${t.store.state.scope===`window`}>in sight</option>
                  <option value="run" ?selected=${t.store.state.scope===`run`}>whole run</option>
                </select>`}`:``;return r`<section class="pane ${e}" aria-label="${e===`left`?`Left`:`Right`} pane">
      ${this.#o(`${e===`left`?`Left`:`Right`} pane`,Ne.map(e=>[e,$e(e)]),n,n=>t.store.set({[e]:n}),i)}
      <div class="content" role="tabpanel" aria-label=${$e(n)}>${this.#c(n)}</div>
    </section>`}#c(e){let{app:t}=this;return e===`scatter`?r`<mp-scatter .app=${t}></mp-scatter>`:e===`histogram`?r`<mp-histogram .app=${t}></mp-histogram>`:e===`matrix`?r`<mp-matrix .app=${t}></mp-matrix>`:e===`events`?r`<mp-events .app=${t}></mp-events>`:r`<mp-table .app=${t}></mp-table>`}};f([t({attribute:!1})],fi.prototype,`app`,void 0),f([d()],fi.prototype,`split`,void 0),f([d()],fi.prototype,`tab`,void 0),fi=f([a(`mp-views`)],fi);var pi=class extends p{static{this.styles=[s,o`
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
    `]}constructor(){super(),this.isStarted=!1,this.app=new Ce(new ln(new URL(`./api/`,document.baseURI).pathname),new vr(_r)),new V(this)}connectedCallback(){if(super.connectedCallback(),this.isStarted)return;this.isStarted=!0,this.replaceChildren();let e=()=>this.app.store.restore();window.addEventListener(`popstate`,e),window.addEventListener(`hashchange`,e),je(this.app,F),this.app.start()}render(){let{app:e}=this,{run:t}=e,{page:i}=e.store.state;return r`<header>
        <button class="skip" @click=${()=>this.renderRoot.querySelector(`main`)?.focus()}>To the content</button>
        <h1 title=${t?.command.join(` `)??``}>${t?.name??`mpiscope`}</h1>
        <nav aria-label="Pages">
          <button aria-current=${i===`overview`?`page`:n} @click=${()=>e.store.set({page:`overview`})}>Overview</button>
          <button aria-current=${i===`views`?`page`:n} @click=${()=>e.store.set({page:`views`})}>Timeline</button>
        </nav>
        <span class="facts number">${t?this.#e():`opening the run …`}</span>
        ${e.launch?r`<a class="launch" href=${e.launch}>Launch</a>`:n}
        <button class="line wide" @click=${()=>e.open(`find`)}>Search <kbd aria-hidden="true">/</kbd></button>
        <button class="line wide" @click=${()=>e.open(`palette`)}>Commands <kbd aria-hidden="true">Ctrl+Shift+P</kbd></button>
        <button class="line" aria-label="Keys and mouse" title="Keys and mouse (?)" @click=${()=>e.open(`help`)}>?</button>
        <button class="line" @click=${()=>e.setTheme(e.theme===`dark`?`light`:`dark`)}>${e.theme===`dark`?`Light`:`Dark`}</button>
      </header>
      ${this.#t()}
      <main id="main" tabindex="-1">${this.#n()} ${e.dialog===`find`?r`<mp-find .app=${e}></mp-find>`:n}</main>
      <footer>
        <span role="status" aria-live="polite">${e.message}</span>
        <span>mpiscope</span>
      </footer>
      ${e.dialog===`palette`?r`<mp-palette .app=${e}></mp-palette>`:n} ${e.dialog===`help`?r`<mp-help .app=${e}></mp-help>`:n}`}#e(){let e=this.app.run;return[e.mpi?.split(`,`)[0],`${b(e.ranks.count)} ${e.ranks.count===1?`rank`:`ranks`}`,e.hosts.length>1?`${b(e.hosts.length)} hosts`:null,`${x(e.calls)} calls`,v(e.until_ns-e.from_ns)].filter(Boolean).join(` · `)}#t(){let{run:e}=this.app;return e?.state===`building`?r`<div class="building" role="region" aria-label="Progress">
        <progress max="1" .value=${e.done} aria-label="How much of the run is read"></progress>
        <span>The run is being read: ${Math.round(e.done*100)} %. What there is can be looked at already.</span>
      </div>`:e?.is_writing&&e.state===`ready`?r`<div class="building" role="region" aria-label="Progress">
        <span>The program still runs. This is how far it was when the run was opened; the rest comes by itself when it has ended.</span>
      </div>`:r`<div></div>`}#n(){let{app:e}=this,{run:t}=e;return e.error?this.#i(`This run cannot be shown`,e.error.message,e.error.next):t?t.state===`failed`?this.#i(`This run cannot be shown`,t.failure?.what??`Reading it failed`,t.failure?.next??`See what mpiscope says in its terminal.`):e.store.state.page===`overview`?r`<mp-overview .app=${e}></mp-overview>`:this.#r():r`<p class="note" role="status">Opening the run …</p>`}#r(){let{run:e}=this.app;return e.state===`ready`&&e.calls===0?this.#i(`No MPI call was recorded`,`The program of this run called no MPI function that was recorded: perhaps it ended before MPI_Init, or it is linked statically.`,`mpiscope doctor PROGRAM says what would be recorded.`):r`<mp-views .app=${this.app}></mp-views>`}#i(e,t,n){return r`<section class="state" role="alert">
      <h2>${e}</h2>
      <p>${t}</p>
      <p class="muted">${n}</p>
    </section>`}};f([d()],pi.prototype,`isStarted`,void 0),pi=f([a(`mp-app`)],pi);
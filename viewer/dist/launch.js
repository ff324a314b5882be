import{a as e,d as t,f as n,h as r,l as i,n as a,r as o,s,t as c,u as l}from"./shared.js";async function u(e,t){let n;try{n=await fetch(`api/launch/${e}`,t?{method:`POST`,headers:{"content-type":`application/json`},body:JSON.stringify(t)}:{cache:`no-store`})}catch(e){throw o(e)}let r=await n.json().catch(()=>null);if(n.ok&&r)return r;throw new a(n.status,r?.error?.what??`mpiscope answered ${n.status}`,r?.error?.next??`Reload this page.`)}var d=()=>u(`form`),f=e=>u(`progress?after=${e}`),p=e=>u(`check`,e),m=(e,t)=>u(`start`,{code:e,ticket:t}),h=e=>u(`stop`,{code:e}),g=1<<20,_=class{constructor(){this.text=``,this.until=0,this.isCut=!1}add(e){e.from>this.until&&(this.isCut=!0),this.text=e.from<this.until?e.output:this.text+e.output,this.text.length>g&&(this.text=this.text.slice(-524288),this.isCut=!0),this.until=e.until}};function v(e){return e.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g,``).replace(/\r\n/g,`
`).replace(/[^\n]*\r(?=[^\n])/g,``)}var y=300,b=`mpiscope.theme`,x=`mpiscope.launch`,S=class extends l{constructor(...e){super(...e),this.form=null,this.checked=null,this.progress=null,this.error=null,this.isAsking=!1,this.#e=``,this.#t=new _,this.#n=0,this.#r=0,this.#i=null}static{this.styles=[e,r`
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
    `]}#e;#t;#n;#r;#i;connectedCallback(){super.connectedCallback(),this.replaceChildren();let e=localStorage.getItem(b);document.documentElement.dataset.theme=e??(matchMedia(`(prefers-color-scheme: dark)`).matches?`dark`:`light`),this.#a()}disconnectedCallback(){super.disconnectedCallback(),this.#i!==null&&clearTimeout(this.#i)}async#a(){try{this.form=await d(),await this.#o()}catch(e){this.error=o(e)}}async#o(){let e;try{e=await f(this.#t.until)}catch(e){this.error=o(e);return}if(e.number!==this.#n){let t=this.#t.until;if(this.#n=e.number,this.#t=new _,t>0)return this.#o()}this.#t.add(e),this.progress=e,e.stage===`running`||e.stage===`stopping`?this.#i=setTimeout(()=>void this.#o(),y):e.stage===`ended`&&e.view&&e.code===0&&this.#r===e.number&&location.assign(e.view)}#s(e){return this.renderRoot.querySelector(`[name="${e}"]`)?.value??``}async#c(e){e.preventDefault();let t=(this.form?.options??[]).map(e=>[e.name,this.#s(`option-${e.name}`)]).filter(([,e])=>e.trim()),n={program:this.#s(`program`),ranks:this.#s(`ranks`),options:t};localStorage.setItem(x,JSON.stringify(n)),await this.#d(async()=>{this.checked=await p(n),await this.updateComplete,this.renderRoot.querySelector(`[name="code"]`)?.focus()})}async#l(e){e.preventDefault();let t=this.checked?.ticket;if(!t)return;let n=this.#s(`code`)||this.#e;await this.#d(async()=>{let e=await m(n,t);this.#e=n,this.checked=null,this.#n=e.number,this.#r=e.number,this.#t=new _,await this.#o()})}async#u(){let e=this.#e||this.#s(`stop-code`);await this.#d(async()=>{await h(e),this.#e=e})}async#d(e){this.error=null,this.isAsking=!0;try{await e()}catch(e){this.error=o(e)}this.isAsking=!1}updated(){let e=this.renderRoot.querySelector(`.output`);e&&(e.scrollTop=e.scrollHeight)}render(){let e=this.progress,r=e?.stage===`running`||e?.stage===`stopping`;return n`<header>
        <h1>Launch a program</h1>
        <span class="muted">${this.form?`on ${this.form.host}, recorded by mpiscope ${this.form.version}`:``}</span>
      </header>
      <main tabindex="-1">
        ${r||!this.form?t:this.#f(this.form)}
        ${this.checked&&!r?this.#p(this.checked):t}
        ${this.error?n`<section role="alert" class="error"><p class="error"><b>${this.error.message}</b> ${this.error.next}</p></section>`:t}
        ${e&&e.stage!==`idle`?this.#m(e):t}
      </main>`}#f(e){let t=w(),r=(r,i)=>n`<details ?open=${e.options.some(e=>e.group===r&&t.options.has(e.name))}>
        <summary>${i}</summary>
        <div class="options">${e.options.filter(e=>e.group===r).map(e=>C(e,t.options.get(e.name)??``))}</div>
      </details>`;return n`<section aria-label="What to run">
      <form @submit=${e=>void this.#c(e)} @input=${()=>this.checked=null}>
        <label class="wide">
          Program and arguments
          <input name="program" required autocomplete="off" spellcheck="false" placeholder="./a.out 100" .value=${t.program} />
          <small>Quotes as in a shell; nothing is expanded, no shell reads it. Relative to ${e.directory}</small>
        </label>
        <label>
          <span>Ranks</span>
          <input name="ranks" inputmode="numeric" size="8" autocomplete="off" placeholder="4" .value=${t.ranks} />
        </label>
        ${r(`recording`,`What is recorded`)} ${r(`launching`,`How it is launched`)}
        <div><button class="line" ?disabled=${this.isAsking}>Check</button></div>
      </form>
    </section>`}#p({command:e}){return n`<section aria-label="Confirm">
      <h2>This will be run</h2>
      <pre>${e.text}</pre>
      <dl>
        <div><dt>in</dt><dd class="mono">${e.directory}</dd></div>
        <div><dt>the run will be</dt><dd class="mono">${e.run}</dd></div>
      </dl>
      <form class="line" @submit=${e=>void this.#l(e)}>
        ${this.#e?t:n`<label>
              Code from the terminal of mpiscope view
              <input name="code" required autocomplete="off" spellcheck="false" size="12" placeholder="xxxx-xxxx" />
            </label>`}
        <button class="go" ?disabled=${this.isAsking}>Run</button>
      </form>
    </section>`}#m(e){let{command:r}=e,i=e.stage!==`ended`,a=v(this.#t.text);return n`<section aria-label="Progress">
      <h2>${e.stage===`running`?`Running`:e.stage===`stopping`?`Ending …`:`Ended`}</h2>
      <pre>${r?.text}</pre>
      <dl>
        <div><dt>for</dt><dd class="number">${(e.elapsed_ms/1e3).toFixed(1)} s</dd></div>
        <div><dt>ranks up</dt><dd class="number">${e.ranks_up}${r?.ranks?` of ${r.ranks}`:``}</dd></div>
      </dl>
      ${e.verdict?n`<p role="status"><b>${e.verdict}</b></p>`:t}
      ${i?n`<div class="line">
            ${this.#e?t:n`<label>Code from the terminal <input name="stop-code" autocomplete="off" size="12" /></label>`}
            <button class="line" ?disabled=${this.isAsking||e.stage===`stopping`} @click=${()=>void this.#u()}>Stop</button>
          </div>`:e.view?n`<p><a href=${e.view}>Open the views of this run</a></p>`:t}
      <pre class="output" role="log" tabindex="0" aria-label="What it has written">${this.#t.isCut?`… `:``}${a||`nothing was written yet`}</pre>
    </section>`}};c([s()],S.prototype,`form`,void 0),c([s()],S.prototype,`checked`,void 0),c([s()],S.prototype,`progress`,void 0),c([s()],S.prototype,`error`,void 0),c([s()],S.prototype,`isAsking`,void 0),S=c([i(`mp-launch`)],S);function C(e,t){let r=`option-${e.name}`,i=e.kind===`choice`?n`<select name=${r}>
          <option value="" ?selected=${!t}>${e.default}</option>
          ${e.choices.filter(t=>t!==e.default).map(e=>n`<option ?selected=${e===t}>${e}</option>`)}
        </select>`:n`<input name=${r} autocomplete="off" spellcheck="false" placeholder=${e.default} inputmode=${e.kind===`number`?`numeric`:`text`} .value=${t} />`;return n`<label><span class="mono">--${e.name}</span>${i}<small>${e.help}</small></label>`}function w(){try{let e=JSON.parse(localStorage.getItem(x)??`{}`);return{program:e.program??``,ranks:e.ranks??``,options:new Map(e.options??[])}}catch{return{program:``,ranks:``,options:new Map}}}
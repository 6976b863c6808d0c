// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function n(e,{leaf:t,isMessage:n=!1}={}){let a=n?72:64;return(t===void 0&&i(e,a)?r(e):void 0)??new v(e,{leaf:t,maxDepth:a}).read()}function r(e){try{return{value:JSON.parse(e)}}catch{return}}function i(e,t){let n=e.includes(\`\\\\\`),r=0;for(let i=0;i<e.length;i+=1){let o=e.charCodeAt(i);if(o===34?i=a(e,i,n):d(o)?i=c(e,i):o===123||o===91?r+=1:(o===125||o===93)&&--r,i===-1||r>t)return!1}return!0}function a(e,t,n){let r=e.indexOf(\`"\`,t+1);if(!n)return r===-1?e.length:r;for(;s(e,r);)r=e.indexOf(\`"\`,r+1);return r===-1?e.length:e.charCodeAt(l(e,r+1))===58&&o(e,t,r)?-1:r}function o(e,t,n){for(let r=t;r<n;r+=1)if(e.charCodeAt(r)===92)return!0;return!1}function s(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function c(e,t){let n=t;for(;d(e.charCodeAt(n+1));)n+=1;return n-t>300||f(e,n+1)?-1:n}function l(e,t){let n=t;for(;u(e.charCodeAt(n));)n+=1;return n}function u(e){return e===32||e===10||e===13||e===9}function d(e){return e>=48&&e<=57}function f(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let p=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,m=/^[0-9a-fA-F]{4}$/,h=new Map(Object.entries({'"':\`"\`,"\\\\":\`\\\\\`,"/":\`/\`,b:\`\\b\`,f:\`\\f\`,n:\`
\`,r:\`\\r\`,t:\`	\`})),g=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var _=class extends Error{},v=class{text;options;frames=[];at=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof _))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(e===123||e===91){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=l(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);b(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.at+=1,n||this.readName(),!1)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`),this.at+=1;let t=this.frames.at(-1);t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||d(e))return this.readNumber(t);let n=g.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){p.lastIndex=e,p.test(this.text)||this.refuse(\`syntax\`);let t=p.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=\`\`,n=this.at+1;for(this.at=n;;this.at+=1){let r=e.charCodeAt(this.at);if(r===34)break;r===92?(t+=e.slice(n,this.at)+this.readEscape(),n=this.at+1):r>=32||this.refuse(\`syntax\`)}return this.at+=1,t+e.slice(n,this.at-1)}readEscape(){let{text:e,at:t}=this,n=e.charAt(t+1),r=e.slice(t+2,t+6),i=n===\`u\`&&m.test(r),a=i?String.fromCharCode(Number.parseInt(r,16)):h.get(n);return a===void 0?this.refuse(\`syntax\`):(this.at+=i?5:1,a)}refuse(e){throw new _(e)}faultOf(e){let t=this.text.slice(0,this.at).split(/\\r\\n|\\r|\\n/),[n,r]=[t.length,(t.at(-1)?.length??0)+1],i=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:y[e],a=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${i} (line \${n}, column \${r})\`,path:a,line:n,column:r}}};let y={syntax:\`there is an unexpected character\`,too_deep:\`it is nested too deep\`,not_finite:\`a number is too large\`};function b({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e||(e[t]=n)}let x=/[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]/gu;function S(e,t=C){return e.replace(x,t)}function ee(e){return e.split(/(\\r?\\n|\\t)/).map((e,t)=>t%2==1?e.replace(\`\\r\`,\`\`):S(e)).join(\`\`)}function C(e){return\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`}function w(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?ee(e):e)),r}function T(e){return w(\`dl\`,{},e.filter(e=>e!==void 0).flatMap(([e,t])=>[w(\`dt\`,{},[e]),w(\`dd\`,{},[t])]))}function E(e){if(Array.isArray(e))return e.length===0?\`none\`:w(\`ol\`,{},e.map(e=>w(\`li\`,{},[E(e)])));if(typeof e==\`object\`&&e){let t=Object.entries(e);return t.length===0?\`none\`:T(t.map(([e,t])=>[e,E(t)]))}return w(\`span\`,{class:\`value\`},[typeof e==\`string\`?e:String(e)])}function D(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return e;let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return w(\`time\`,{datetime:e},[n])}let O=[[\`day\`,86400],[\`hour\`,3600],[\`minute\`,60]];function k(e){let t=(new Date(e).getTime()-Date.now())/1e3;if(Number.isNaN(t))return\`\`;let[n,r]=O.find(([,e])=>Math.abs(t)>=e)??[\`second\`,1];return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(t/r),n)}function A(e){let t=j(e),n=e=>N(t[e]),{quorum:r}=t;return{state:n(\`state\`),operation:n(\`operation\`),message:n(\`message\`),role:n(\`role\`),requester:n(\`requester\`),requesterIssuer:n(\`requesterIssuer\`),requestedFor:n(\`requestedFor\`),requestedForIssuer:n(\`requestedForIssuer\`),isConfirmation:n(\`by\`)===\`requester\`,request:j(t.request),digest:n(\`digest\`),quorum:typeof r==\`number\`?r:1,decisions:M(t.decisions).map(j),via:M(t.via).map(N),createdAt:n(\`createdAt\`),expiresAt:n(\`expiresAt\`)}}function j(e){return typeof e==\`object\`&&e?e:{}}function M(e){return Array.isArray(e)?e:[]}function N(e){return typeof e==\`string\`?e:\`\`}function P(e){let{operation:t,requester:n,requestedFor:r,via:i,createdAt:a,expiresAt:o}=e;return[w(\`p\`,{class:\`message\`},[e.message]),T([[\`Operation\`,t],[\`Asked by\`,F(n,e.requesterIssuer)],r===\`\`?void 0:[\`On behalf of\`,F(r,e.requestedForIssuer)],i.length===0?void 0:[\`Way\`,I(e)],a===\`\`?void 0:[\`Asked\`,D(a)],o===\`\`?void 0:[\`Expires\`,L(e)],[\`Needed\`,R(e)]]),...z(e),...B(e)]}function F(e,t){let n=t===\`\`?[]:[w(\`span\`,{class:\`issuer\`},[\` at \${t}\`])];return w(\`span\`,{},[w(\`span\`,{},[e]),...n])}function I({via:e,requester:t,operation:n}){return w(\`ol\`,{class:\`way\`},[...e,\`\${t} called \${n}\`].map(e=>w(\`li\`,{},[e])))}function L({expiresAt:e,state:t}){let n=t===\`pending\`?\` (\${k(e)})\`:\`\`;return w(\`span\`,{},[D(e),n])}function R({quorum:e,role:t,decisions:n,isConfirmation:r}){if(r)return\`A confirmation by the person who asked\`;let i=n.filter(({verdict:e})=>e===\`approved\`).length,a=t===\`\`?\`\`:\` with the role \${t}\`;return e===1?\`One approval by somebody else\${a}\`:\`\${e} approvals by different people\${a}; \${i} so far\`}function z(e){if(e.decisions.length===0)return[];let t=e.decisions.map(({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i})=>w(\`li\`,{},[w(\`strong\`,{},[F(N(e),N(t))]),\` \${N(n)} \`,...N(i)===\`\`?[]:[D(N(i))],...N(r)===\`\`?[]:[w(\`p\`,{class:\`comment\`},[N(r)])]]));return[w(\`h2\`,{},[\`Decisions\`]),w(\`ul\`,{class:\`decisions\`},t)]}function B({request:e,digest:t}){let{method:n,path:r,inputs:i,truncated:a}=e,o=[N(n),N(r)].filter(e=>e!==\`\`).join(\` \`);return o===\`\`?[w(\`p\`,{class:\`cut\`},[\`The service does not show the request.\`])]:[w(\`h2\`,{},[\`Request\`]),w(\`p\`,{class:\`line\`},[o]),...a===!0?[w(\`p\`,{class:\`cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],w(\`div\`,{class:\`inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`},[E(j(i))]),...t===\`\`?[]:[w(\`p\`,{class:\`digest\`},[\`Digest \${t}\`])]]}let V={"X-Agentic-Page":\`approvals\`},H=\`agentic-approvals-tenant\`;async function U(t,r={}){let i=sessionStorage.getItem(H)??\`\`,a={...V,...i!==\`\`&&{[e.tenantId]:i}},o={...r,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...r.headers}};try{let e=await fetch(t,o),{value:r}=n(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(r)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function W(e,t){let n=document.getElementById(\`page\`);document.title=e,n?.replaceChildren(w(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function G(e){return w(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function K(e){let{status:n,ok:r,body:i}=await U(location.pathname);r?$(A(i)):X(n===t.unauthenticated?e:q(n,i))}function q(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:J(n.message)}function J(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function Y(e,t,n){let r=w(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[w(\`label\`,{for:e},[t]),r]}}function X(e){let t=Y(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=Y(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(H)??\`\`;let r=w(\`form\`,{},[...t.parts,...n.parts,w(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(H,n.input.value.trim()),Z(t.input.value.trim())});let i=w(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);W(\`Approval\`,[e===void 0?i:G(e),r]),t.input.focus()}async function Z(t){if(t.length>3700)return X(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await U(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return X(J(r.message));await K(\`The token was not accepted.\`)}async function Q(){await U(\`session\`,{method:\`DELETE\`}),X()}let te={pending:\`Approval needed\`,approved:\`Approved\`,rejected:\`Rejected\`,used:\`Approved and used\`,expired:\`Expired\`,withdrawn:\`Withdrawn\`};function $(e,t){let n=w(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void Q()),W(te[e.state]??\`Approval\`,[...t===void 0?[]:[t],...P(e),...e.state===\`pending\`?[re(e)]:[],w(\`p\`,{class:\`foot\`},[n])]);let r=document.querySelector(\`h1\`);r?.setAttribute(\`tabindex\`,\`-1\`),r?.focus()}function ne(e){return w(\`p\`,{role:\`status\`},[e===\`approve\`?\`You approved it.\`:\`You rejected it.\`])}function re(n){let r=w(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),i=[\`approve\`,\`reject\`].map(e=>{let t=w(\`button\`,{type:\`button\`,class:e},[e===\`approve\`?\`Approve\`:\`Reject\`]);return t.addEventListener(\`click\`,()=>void o(e)),t}),a=w(\`p\`,{role:\`alert\`});async function o(o){for(let e of i)e.disabled=!0;a.textContent=\`\`;let c={...n.digest!==\`\`&&{digest:n.digest},...r.value.trim()!==\`\`&&{comment:r.value.trim()}},{status:l,ok:u,body:d}=await U(\`\${location.pathname}/\${o}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(c)});u?$(A(d),ne(o)):l===t.unauthenticated?X(\`Your session has ended. Sign in again.\`):await s(d)}async function s(e){let t=J(e.message),n=e.type===\`conflict\`?await U(location.pathname):void 0;if(n?.ok)return $(A(n.body),G(t));a.textContent=t;for(let t of i)t.disabled=e.type===\`forbidden\`}return w(\`section\`,{"aria-label":\`Decision\`},[w(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),r,w(\`div\`,{class:\`buttons\`},i),a])}K()})();`

/** The style of the approval page. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --text: light-dark(#1a1d21, #e8eaed);
  --quiet: light-dark(#565d66, #a9b0b8);
  --line: light-dark(#d5d9de, #3a4047);
  --back: light-dark(#f6f7f8, #16181b);
  --card: light-dark(#fff, #1f2226);
  --good: light-dark(#0b6b3a, #7fd6a4);
  --bad: light-dark(#a3221b, #ffa59c);
  font:
    16px / 1.5 system-ui,
    sans-serif;
  background: var(--back);
  color: var(--text);
}
body {
  margin: 0;
  padding: 1rem;
}
main {
  max-width: 44rem;
  margin: 0 auto;
  padding: 1.25rem;
  box-sizing: border-box;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  overflow-wrap: anywhere;
}
h1 {
  font-size: 1.4rem;
  margin: 0 0 0.75rem;
}
h2 {
  font-size: 1.05rem;
  margin: 1.5rem 0 0.5rem;
}
p {
  margin: 0.5rem 0;
}
.message {
  font-size: 1.05rem;
}
dl {
  display: grid;
  grid-template-columns: minmax(6rem, max-content) 1fr;
  gap: 0.35rem 1rem;
  margin: 0.75rem 0;
}
dt {
  color: var(--quiet);
}
dd {
  margin: 0;
  min-width: 0;
}
dd dl {
  margin: 0;
}
ol,
ul {
  margin: 0;
  padding-left: 1.25rem;
}
.way {
  list-style: none;
  padding: 0;
  display: flex;
  flex-wrap: wrap;
  gap: 0.35rem;
}
.way li + li::before {
  content: "\\2192\\00a0";
  color: var(--quiet);
}
.decisions {
  list-style: none;
  padding: 0;
}
.comment,
.value {
  white-space: pre-wrap;
}
.comment {
  border-left: 3px solid var(--line);
  padding-left: 0.75rem;
}
.line,
.inputs,
.digest {
  font-family: ui-monospace, monospace;
  font-size: 0.9rem;
}
.inputs {
  border: 1px solid var(--line);
  border-radius: 0.375rem;
  padding: 0 0.75rem;
  max-height: 60vh;
  overflow: auto;
}
.cut {
  color: var(--bad);
}
.issuer {
  color: var(--quiet);
  font-weight: 400;
}
.digest {
  color: var(--quiet);
  font-size: 0.8rem;
}
label {
  display: block;
  margin: 1rem 0 0.25rem;
}
input,
textarea,
button {
  font: inherit;
  color: inherit;
  box-sizing: border-box;
}
input,
textarea {
  width: 100%;
  padding: 0.5rem 0.75rem;
  background: var(--back);
  border: 1px solid var(--quiet);
  border-radius: 0.375rem;
}
button {
  padding: 0.55rem 1.1rem;
  border: 1px solid var(--quiet);
  border-radius: 0.375rem;
  background: none;
  cursor: pointer;
}
button:disabled {
  opacity: 0.6;
  cursor: default;
}
form button {
  margin-top: 1rem;
}
.buttons {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem;
  margin-top: 0.75rem;
}
.primary,
.approve {
  background: var(--good);
  border-color: var(--good);
  color: var(--card);
  font-weight: 600;
}
.reject {
  border-color: var(--bad);
  color: var(--bad);
  font-weight: 600;
}
.quiet {
  border: 0;
  padding: 0;
  color: var(--quiet);
  text-decoration: underline;
}
[role="alert"]:not(:empty) {
  color: var(--bad);
  font-weight: 600;
}
[role="status"]:not(:empty) {
  color: var(--good);
  font-weight: 600;
}
.foot {
  margin-top: 1.5rem;
  border-top: 1px solid var(--line);
  padding-top: 0.75rem;
}
:focus-visible {
  outline: 2px solid currentcolor;
  outline-offset: 2px;
}
@media (max-width: 30rem) {
  dl {
    grid-template-columns: 1fr;
    gap: 0;
  }
  dd {
    margin-bottom: 0.5rem;
  }
  dd dl {
    padding-left: 0.75rem;
    border-left: 2px solid var(--line);
  }
}
h1:focus {
  outline: none;
}`

// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function n(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n),r}function r(e){return n(\`dl\`,{},e.filter(e=>e!==void 0).flatMap(([e,t])=>[n(\`dt\`,{},[e]),n(\`dd\`,{},[t])]))}function i(e){if(Array.isArray(e))return e.length===0?\`none\`:n(\`ol\`,{},e.map(e=>n(\`li\`,{},[i(e)])));if(typeof e==\`object\`&&e){let t=Object.entries(e);return t.length===0?\`none\`:r(t.map(([e,t])=>[e,i(t)]))}return n(\`span\`,{class:\`value\`},[typeof e==\`string\`?e:String(e)])}function a(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return e;let r=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return n(\`time\`,{datetime:e},[r])}let o=[[\`day\`,86400],[\`hour\`,3600],[\`minute\`,60]];function s(e){let t=(new Date(e).getTime()-Date.now())/1e3;if(Number.isNaN(t))return\`\`;let[n,r]=o.find(([,e])=>Math.abs(t)>=e)??[\`second\`,1];return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(t/r),n)}function c(e){let t=l(e),n=e=>d(t[e]),{quorum:r}=t;return{state:n(\`state\`),operation:n(\`operation\`),message:n(\`message\`),role:n(\`role\`),requester:n(\`requester\`),requestedFor:n(\`requestedFor\`),isConfirmation:n(\`by\`)===\`requester\`,request:l(t.request),digest:n(\`digest\`),quorum:typeof r==\`number\`?r:1,decisions:u(t.decisions).map(l),via:u(t.via).map(d),createdAt:n(\`createdAt\`),expiresAt:n(\`expiresAt\`)}}function l(e){return typeof e==\`object\`&&e?e:{}}function u(e){return Array.isArray(e)?e:[]}function d(e){return typeof e==\`string\`?e:\`\`}function f(e){let{operation:t,requester:i,requestedFor:o,via:s,createdAt:c,expiresAt:l}=e;return[n(\`p\`,{class:\`message\`},[e.message]),r([[\`Operation\`,t],[\`Asked by\`,i],o===\`\`?void 0:[\`On behalf of\`,o],s.length===0?void 0:[\`Way\`,p(e)],c===\`\`?void 0:[\`Asked\`,a(c)],l===\`\`?void 0:[\`Expires\`,m(e)],[\`Needed\`,h(e)]]),...g(e),..._(e)]}function p({via:e,requester:t,operation:r}){return n(\`ol\`,{class:\`way\`},[...e,\`\${t} called \${r}\`].map(e=>n(\`li\`,{},[e])))}function m({expiresAt:e,state:t}){let r=t===\`pending\`?\` (\${s(e)})\`:\`\`;return n(\`span\`,{},[a(e),r])}function h({quorum:e,role:t,decisions:n,isConfirmation:r}){if(r)return\`A confirmation by the person who asked\`;let i=n.filter(({verdict:e})=>e===\`approved\`).length,a=t===\`\`?\`\`:\` with the role \${t}\`;return e===1?\`One approval by somebody else\${a}\`:\`\${e} approvals by different people\${a}; \${i} so far\`}function g(e){if(e.decisions.length===0)return[];let t=e.decisions.map(({decidedBy:e,verdict:t,comment:r,decidedAt:i})=>n(\`li\`,{},[n(\`strong\`,{},[d(e)]),\` \${d(t)} \`,...d(i)===\`\`?[]:[a(d(i))],...d(r)===\`\`?[]:[n(\`p\`,{class:\`comment\`},[d(r)])]]));return[n(\`h2\`,{},[\`Decisions\`]),n(\`ul\`,{class:\`decisions\`},t)]}function _({request:e,digest:t}){let{method:r,path:a,inputs:o,truncated:s}=e,c=[d(r),d(a)].filter(e=>e!==\`\`).join(\` \`);return c===\`\`?[n(\`p\`,{class:\`cut\`},[\`The service does not show the request.\`])]:[n(\`h2\`,{},[\`Request\`]),n(\`p\`,{class:\`line\`},[c]),...s===!0?[n(\`p\`,{class:\`cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],n(\`div\`,{class:\`inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`},[i(l(o))]),...t===\`\`?[]:[n(\`p\`,{class:\`digest\`},[\`Digest \${t}\`])]]}let v={"X-Agentic-Page":\`approvals\`},y=\`agentic-approvals-tenant\`;async function b(t,n={}){let r=sessionStorage.getItem(y)??\`\`,i={...v,...r!==\`\`&&{[e.tenantId]:r}},a={...n,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...i,...n.headers}};try{let e=await fetch(t,a),n=await e.json().catch(()=>({}));return{status:e.status,ok:e.ok,body:n}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function x(e,t){let r=document.getElementById(\`page\`);document.title=e,r?.replaceChildren(n(\`h1\`,{},[e]),...t),r?.removeAttribute(\`aria-busy\`)}function S(e){return n(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function C(e){let{status:n,ok:r,body:i}=await b(location.pathname);r?j(c(i)):D(n===t.unauthenticated?e:w(n,i))}function w(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:T(n.message)}function T(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function E(e,t,r){let i=n(\`input\`,{id:e,name:e,autocomplete:\`off\`,...r});return{input:i,parts:[n(\`label\`,{for:e},[t]),i]}}function D(e){let t=E(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),r=E(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});r.input.value=sessionStorage.getItem(y)??\`\`;let i=n(\`form\`,{},[...t.parts,...r.parts,n(\`button\`,{class:\`primary\`},[\`Sign in\`])]);i.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(y,r.input.value.trim()),O(t.input.value.trim())});let a=n(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);x(\`Approval\`,[e===void 0?a:S(e),i]),t.input.focus()}async function O(t){if(t.length>3700)return D(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await b(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return D(T(r.message));await C(\`The token was not accepted.\`)}async function k(){await b(\`session\`,{method:\`DELETE\`}),D()}let A={pending:\`Approval needed\`,approved:\`Approved\`,rejected:\`Rejected\`,used:\`Approved and used\`,expired:\`Expired\`,withdrawn:\`Withdrawn\`};function j(e,t){let r=n(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);r.addEventListener(\`click\`,()=>void k()),x(A[e.state]??\`Approval\`,[...t===void 0?[]:[t],...f(e),...e.state===\`pending\`?[N(e)]:[],n(\`p\`,{class:\`foot\`},[r])]);let i=document.querySelector(\`h1\`);i?.setAttribute(\`tabindex\`,\`-1\`),i?.focus()}function M(e){return n(\`p\`,{role:\`status\`},[e===\`approve\`?\`You approved it.\`:\`You rejected it.\`])}function N(r){let i=n(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),a=[\`approve\`,\`reject\`].map(e=>{let t=n(\`button\`,{type:\`button\`,class:e},[e===\`approve\`?\`Approve\`:\`Reject\`]);return t.addEventListener(\`click\`,()=>void s(e)),t}),o=n(\`p\`,{role:\`alert\`});async function s(n){for(let e of a)e.disabled=!0;o.textContent=\`\`;let s={...r.digest!==\`\`&&{digest:r.digest},...i.value.trim()!==\`\`&&{comment:i.value.trim()}},{status:u,ok:d,body:f}=await b(\`\${location.pathname}/\${n}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(s)});d?j(c(f),M(n)):u===t.unauthenticated?D(\`Your session has ended. Sign in again.\`):await l(f)}async function l(e){let t=T(e.message),n=e.type===\`conflict\`?await b(location.pathname):void 0;if(n?.ok)return j(c(n.body),S(t));o.textContent=t;for(let t of a)t.disabled=e.type===\`forbidden\`}return n(\`section\`,{"aria-label":\`Decision\`},[n(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),i,n(\`div\`,{class:\`buttons\`},a),o])}C()})();`

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

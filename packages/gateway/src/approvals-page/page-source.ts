// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503},n=/[^\\P{Cc}\\t\\n]|[\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]/gu;function r(e){return e.replace(n,e=>\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`)}function i(e,t={},n=[]){let i=document.createElement(e);for(let[e,n]of Object.entries(t))i.setAttribute(e,n);return i.append(...n.map(e=>typeof e==\`string\`?r(e):e)),i}function a(e){return i(\`dl\`,{},e.filter(e=>e!==void 0).flatMap(([e,t])=>[i(\`dt\`,{},[e]),i(\`dd\`,{},[t])]))}function o(e){if(Array.isArray(e))return e.length===0?\`none\`:i(\`ol\`,{},e.map(e=>i(\`li\`,{},[o(e)])));if(typeof e==\`object\`&&e){let t=Object.entries(e);return t.length===0?\`none\`:a(t.map(([e,t])=>[e,o(t)]))}return i(\`span\`,{class:\`value\`},[typeof e==\`string\`?e:String(e)])}function s(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return e;let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return i(\`time\`,{datetime:e},[n])}let c=[[\`day\`,86400],[\`hour\`,3600],[\`minute\`,60]];function l(e){let t=(new Date(e).getTime()-Date.now())/1e3;if(Number.isNaN(t))return\`\`;let[n,r]=c.find(([,e])=>Math.abs(t)>=e)??[\`second\`,1];return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(t/r),n)}function u(e){let t=d(e),n=e=>p(t[e]),{quorum:r}=t;return{state:n(\`state\`),operation:n(\`operation\`),message:n(\`message\`),role:n(\`role\`),requester:n(\`requester\`),requesterIssuer:n(\`requesterIssuer\`),requestedFor:n(\`requestedFor\`),requestedForIssuer:n(\`requestedForIssuer\`),isConfirmation:n(\`by\`)===\`requester\`,request:d(t.request),digest:n(\`digest\`),quorum:typeof r==\`number\`?r:1,decisions:f(t.decisions).map(d),via:f(t.via).map(p),createdAt:n(\`createdAt\`),expiresAt:n(\`expiresAt\`)}}function d(e){return typeof e==\`object\`&&e?e:{}}function f(e){return Array.isArray(e)?e:[]}function p(e){return typeof e==\`string\`?e:\`\`}function m(e){let{operation:t,requester:n,requestedFor:r,via:o,createdAt:c,expiresAt:l}=e;return[i(\`p\`,{class:\`message\`},[e.message]),a([[\`Operation\`,t],[\`Asked by\`,h(n,e.requesterIssuer)],r===\`\`?void 0:[\`On behalf of\`,h(r,e.requestedForIssuer)],o.length===0?void 0:[\`Way\`,g(e)],c===\`\`?void 0:[\`Asked\`,s(c)],l===\`\`?void 0:[\`Expires\`,_(e)],[\`Needed\`,v(e)]]),...y(e),...b(e)]}function h(e,t){let n=t===\`\`?[]:[i(\`span\`,{class:\`issuer\`},[\` at \${t}\`])];return i(\`span\`,{},[i(\`span\`,{},[e]),...n])}function g({via:e,requester:t,operation:n}){return i(\`ol\`,{class:\`way\`},[...e,\`\${t} called \${n}\`].map(e=>i(\`li\`,{},[e])))}function _({expiresAt:e,state:t}){let n=t===\`pending\`?\` (\${l(e)})\`:\`\`;return i(\`span\`,{},[s(e),n])}function v({quorum:e,role:t,decisions:n,isConfirmation:r}){if(r)return\`A confirmation by the person who asked\`;let i=n.filter(({verdict:e})=>e===\`approved\`).length,a=t===\`\`?\`\`:\` with the role \${t}\`;return e===1?\`One approval by somebody else\${a}\`:\`\${e} approvals by different people\${a}; \${i} so far\`}function y(e){if(e.decisions.length===0)return[];let t=e.decisions.map(({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:a})=>i(\`li\`,{},[i(\`strong\`,{},[h(p(e),p(t))]),\` \${p(n)} \`,...p(a)===\`\`?[]:[s(p(a))],...p(r)===\`\`?[]:[i(\`p\`,{class:\`comment\`},[p(r)])]]));return[i(\`h2\`,{},[\`Decisions\`]),i(\`ul\`,{class:\`decisions\`},t)]}function b({request:e,digest:t}){let{method:n,path:r,inputs:a,truncated:s}=e,c=[p(n),p(r)].filter(e=>e!==\`\`).join(\` \`);return c===\`\`?[i(\`p\`,{class:\`cut\`},[\`The service does not show the request.\`])]:[i(\`h2\`,{},[\`Request\`]),i(\`p\`,{class:\`line\`},[c]),...s===!0?[i(\`p\`,{class:\`cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],i(\`div\`,{class:\`inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`},[o(d(a))]),...t===\`\`?[]:[i(\`p\`,{class:\`digest\`},[\`Digest \${t}\`])]]}let x={"X-Agentic-Page":\`approvals\`},S=\`agentic-approvals-tenant\`;async function C(t,n={}){let r=sessionStorage.getItem(S)??\`\`,i={...x,...r!==\`\`&&{[e.tenantId]:r}},a={...n,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...i,...n.headers}};try{let e=await fetch(t,a),n=await e.json().catch(()=>({}));return{status:e.status,ok:e.ok,body:n}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function w(e,t){let n=document.getElementById(\`page\`);document.title=e,n?.replaceChildren(i(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function T(e){return i(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function E(e){let{status:n,ok:r,body:i}=await C(location.pathname);r?P(u(i)):A(n===t.unauthenticated?e:D(n,i))}function D(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:O(n.message)}function O(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function k(e,t,n){let r=i(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[i(\`label\`,{for:e},[t]),r]}}function A(e){let t=k(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=k(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(S)??\`\`;let r=i(\`form\`,{},[...t.parts,...n.parts,i(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(S,n.input.value.trim()),j(t.input.value.trim())});let a=i(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);w(\`Approval\`,[e===void 0?a:T(e),r]),t.input.focus()}async function j(t){if(t.length>3700)return A(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await C(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return A(O(r.message));await E(\`The token was not accepted.\`)}async function M(){await C(\`session\`,{method:\`DELETE\`}),A()}let N={pending:\`Approval needed\`,approved:\`Approved\`,rejected:\`Rejected\`,used:\`Approved and used\`,expired:\`Expired\`,withdrawn:\`Withdrawn\`};function P(e,t){let n=i(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void M()),w(N[e.state]??\`Approval\`,[...t===void 0?[]:[t],...m(e),...e.state===\`pending\`?[I(e)]:[],i(\`p\`,{class:\`foot\`},[n])]);let r=document.querySelector(\`h1\`);r?.setAttribute(\`tabindex\`,\`-1\`),r?.focus()}function F(e){return i(\`p\`,{role:\`status\`},[e===\`approve\`?\`You approved it.\`:\`You rejected it.\`])}function I(n){let r=i(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),a=[\`approve\`,\`reject\`].map(e=>{let t=i(\`button\`,{type:\`button\`,class:e},[e===\`approve\`?\`Approve\`:\`Reject\`]);return t.addEventListener(\`click\`,()=>void s(e)),t}),o=i(\`p\`,{role:\`alert\`});async function s(i){for(let e of a)e.disabled=!0;o.textContent=\`\`;let s={...n.digest!==\`\`&&{digest:n.digest},...r.value.trim()!==\`\`&&{comment:r.value.trim()}},{status:l,ok:d,body:f}=await C(\`\${location.pathname}/\${i}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(s)});d?P(u(f),F(i)):l===t.unauthenticated?A(\`Your session has ended. Sign in again.\`):await c(f)}async function c(e){let t=O(e.message),n=e.type===\`conflict\`?await C(location.pathname):void 0;if(n?.ok)return P(u(n.body),T(t));o.textContent=t;for(let t of a)t.disabled=e.type===\`forbidden\`}return i(\`section\`,{"aria-label":\`Decision\`},[i(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),r,i(\`div\`,{class:\`buttons\`},a),o])}E()})();`

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

// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function n(e,{leaf:t,isMessage:n=!1}={}){let a=n?72:64;return(t===void 0&&i(e,a)?r(e):void 0)??new v(e,{leaf:t,maxDepth:a}).read()}function r(e){try{return{value:JSON.parse(e)}}catch{return}}function i(e,t){let n=e.includes(\`\\\\\`),r=0;for(let i=0;i<e.length;i+=1){let o=e.charCodeAt(i);if(o===34?i=a(e,i,n):d(o)?i=c(e,i):o===123||o===91?r+=1:(o===125||o===93)&&--r,i===-1||r>t)return!1}return!0}function a(e,t,n){let r=e.indexOf(\`"\`,t+1);if(!n)return r===-1?e.length:r;for(;s(e,r);)r=e.indexOf(\`"\`,r+1);return r===-1?e.length:e.charCodeAt(l(e,r+1))===58&&o(e,t,r)?-1:r}function o(e,t,n){for(let r=t;r<n;r+=1)if(e.charCodeAt(r)===92)return!0;return!1}function s(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function c(e,t){let n=t;for(;d(e.charCodeAt(n+1));)n+=1;return n-t>300||f(e,n+1)?-1:n}function l(e,t){let n=t;for(;u(e.charCodeAt(n));)n+=1;return n}function u(e){return e===32||e===10||e===13||e===9}function d(e){return e>=48&&e<=57}function f(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let p=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,m=/^[0-9a-fA-F]{4}$/,h=new Map(Object.entries({'"':\`"\`,"\\\\":\`\\\\\`,"/":\`/\`,b:\`\\b\`,f:\`\\f\`,n:\`
\`,r:\`\\r\`,t:\`	\`})),g=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var _=class extends Error{},v=class{text;options;frames=[];at=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof _))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(e===123||e===91){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=l(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);b(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.at+=1,n||this.readName(),!1)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`),this.at+=1;let t=this.frames.at(-1);t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||d(e))return this.readNumber(t);let n=g.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){p.lastIndex=e,p.test(this.text)||this.refuse(\`syntax\`);let t=p.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=\`\`,n=this.at+1;for(this.at=n;;this.at+=1){let r=e.charCodeAt(this.at);if(r===34)break;r===92?(t+=e.slice(n,this.at)+this.readEscape(),n=this.at+1):r>=32||this.refuse(\`syntax\`)}return this.at+=1,t+e.slice(n,this.at-1)}readEscape(){let{text:e,at:t}=this,n=e.charAt(t+1),r=e.slice(t+2,t+6),i=n===\`u\`&&m.test(r),a=i?String.fromCharCode(Number.parseInt(r,16)):h.get(n);return a===void 0?this.refuse(\`syntax\`):(this.at+=i?5:1,a)}refuse(e){throw new _(e)}faultOf(e){let t=this.text.slice(0,this.at).split(/\\r\\n|\\r|\\n/),[n,r]=[t.length,(t.at(-1)?.length??0)+1],i=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:y[e],a=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${i} (line \${n}, column \${r})\`,path:a,line:n,column:r}}};let y={syntax:\`there is an unexpected character\`,too_deep:\`it is nested too deep\`,not_finite:\`a number is too large\`};function b({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e||(e[t]=n)}let x=/[^\\P{Cc}\\t\\n]|[\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]/gu;function S(e){return e.replace(x,e=>\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`)}function C(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?S(e):e)),r}function w(e){return C(\`dl\`,{},e.filter(e=>e!==void 0).flatMap(([e,t])=>[C(\`dt\`,{},[e]),C(\`dd\`,{},[t])]))}function T(e){if(Array.isArray(e))return e.length===0?\`none\`:C(\`ol\`,{},e.map(e=>C(\`li\`,{},[T(e)])));if(typeof e==\`object\`&&e){let t=Object.entries(e);return t.length===0?\`none\`:w(t.map(([e,t])=>[e,T(t)]))}return C(\`span\`,{class:\`value\`},[typeof e==\`string\`?e:String(e)])}function E(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return e;let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return C(\`time\`,{datetime:e},[n])}let D=[[\`day\`,86400],[\`hour\`,3600],[\`minute\`,60]];function O(e){let t=(new Date(e).getTime()-Date.now())/1e3;if(Number.isNaN(t))return\`\`;let[n,r]=D.find(([,e])=>Math.abs(t)>=e)??[\`second\`,1];return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(t/r),n)}function k(e){let t=A(e),n=e=>M(t[e]),{quorum:r}=t;return{state:n(\`state\`),operation:n(\`operation\`),message:n(\`message\`),role:n(\`role\`),requester:n(\`requester\`),requesterIssuer:n(\`requesterIssuer\`),requestedFor:n(\`requestedFor\`),requestedForIssuer:n(\`requestedForIssuer\`),isConfirmation:n(\`by\`)===\`requester\`,request:A(t.request),digest:n(\`digest\`),quorum:typeof r==\`number\`?r:1,decisions:j(t.decisions).map(A),via:j(t.via).map(M),createdAt:n(\`createdAt\`),expiresAt:n(\`expiresAt\`)}}function A(e){return typeof e==\`object\`&&e?e:{}}function j(e){return Array.isArray(e)?e:[]}function M(e){return typeof e==\`string\`?e:\`\`}function N(e){let{operation:t,requester:n,requestedFor:r,via:i,createdAt:a,expiresAt:o}=e;return[C(\`p\`,{class:\`message\`},[e.message]),w([[\`Operation\`,t],[\`Asked by\`,P(n,e.requesterIssuer)],r===\`\`?void 0:[\`On behalf of\`,P(r,e.requestedForIssuer)],i.length===0?void 0:[\`Way\`,F(e)],a===\`\`?void 0:[\`Asked\`,E(a)],o===\`\`?void 0:[\`Expires\`,I(e)],[\`Needed\`,L(e)]]),...R(e),...z(e)]}function P(e,t){let n=t===\`\`?[]:[C(\`span\`,{class:\`issuer\`},[\` at \${t}\`])];return C(\`span\`,{},[C(\`span\`,{},[e]),...n])}function F({via:e,requester:t,operation:n}){return C(\`ol\`,{class:\`way\`},[...e,\`\${t} called \${n}\`].map(e=>C(\`li\`,{},[e])))}function I({expiresAt:e,state:t}){let n=t===\`pending\`?\` (\${O(e)})\`:\`\`;return C(\`span\`,{},[E(e),n])}function L({quorum:e,role:t,decisions:n,isConfirmation:r}){if(r)return\`A confirmation by the person who asked\`;let i=n.filter(({verdict:e})=>e===\`approved\`).length,a=t===\`\`?\`\`:\` with the role \${t}\`;return e===1?\`One approval by somebody else\${a}\`:\`\${e} approvals by different people\${a}; \${i} so far\`}function R(e){if(e.decisions.length===0)return[];let t=e.decisions.map(({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i})=>C(\`li\`,{},[C(\`strong\`,{},[P(M(e),M(t))]),\` \${M(n)} \`,...M(i)===\`\`?[]:[E(M(i))],...M(r)===\`\`?[]:[C(\`p\`,{class:\`comment\`},[M(r)])]]));return[C(\`h2\`,{},[\`Decisions\`]),C(\`ul\`,{class:\`decisions\`},t)]}function z({request:e,digest:t}){let{method:n,path:r,inputs:i,truncated:a}=e,o=[M(n),M(r)].filter(e=>e!==\`\`).join(\` \`);return o===\`\`?[C(\`p\`,{class:\`cut\`},[\`The service does not show the request.\`])]:[C(\`h2\`,{},[\`Request\`]),C(\`p\`,{class:\`line\`},[o]),...a===!0?[C(\`p\`,{class:\`cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],C(\`div\`,{class:\`inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`},[T(A(i))]),...t===\`\`?[]:[C(\`p\`,{class:\`digest\`},[\`Digest \${t}\`])]]}let B={"X-Agentic-Page":\`approvals\`},V=\`agentic-approvals-tenant\`;async function H(t,r={}){let i=sessionStorage.getItem(V)??\`\`,a={...B,...i!==\`\`&&{[e.tenantId]:i}},o={...r,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...r.headers}};try{let e=await fetch(t,o),{value:r}=n(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(r)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function U(e,t){let n=document.getElementById(\`page\`);document.title=e,n?.replaceChildren(C(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function W(e){return C(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function G(e){let{status:n,ok:r,body:i}=await H(location.pathname);r?$(k(i)):Y(n===t.unauthenticated?e:K(n,i))}function K(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:q(n.message)}function q(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function J(e,t,n){let r=C(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[C(\`label\`,{for:e},[t]),r]}}function Y(e){let t=J(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=J(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(V)??\`\`;let r=C(\`form\`,{},[...t.parts,...n.parts,C(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(V,n.input.value.trim()),X(t.input.value.trim())});let i=C(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);U(\`Approval\`,[e===void 0?i:W(e),r]),t.input.focus()}async function X(t){if(t.length>3700)return Y(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await H(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return Y(q(r.message));await G(\`The token was not accepted.\`)}async function Z(){await H(\`session\`,{method:\`DELETE\`}),Y()}let Q={pending:\`Approval needed\`,approved:\`Approved\`,rejected:\`Rejected\`,used:\`Approved and used\`,expired:\`Expired\`,withdrawn:\`Withdrawn\`};function $(e,t){let n=C(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void Z()),U(Q[e.state]??\`Approval\`,[...t===void 0?[]:[t],...N(e),...e.state===\`pending\`?[te(e)]:[],C(\`p\`,{class:\`foot\`},[n])]);let r=document.querySelector(\`h1\`);r?.setAttribute(\`tabindex\`,\`-1\`),r?.focus()}function ee(e){return C(\`p\`,{role:\`status\`},[e===\`approve\`?\`You approved it.\`:\`You rejected it.\`])}function te(n){let r=C(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),i=[\`approve\`,\`reject\`].map(e=>{let t=C(\`button\`,{type:\`button\`,class:e},[e===\`approve\`?\`Approve\`:\`Reject\`]);return t.addEventListener(\`click\`,()=>void o(e)),t}),a=C(\`p\`,{role:\`alert\`});async function o(o){for(let e of i)e.disabled=!0;a.textContent=\`\`;let c={...n.digest!==\`\`&&{digest:n.digest},...r.value.trim()!==\`\`&&{comment:r.value.trim()}},{status:l,ok:u,body:d}=await H(\`\${location.pathname}/\${o}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(c)});u?$(k(d),ee(o)):l===t.unauthenticated?Y(\`Your session has ended. Sign in again.\`):await s(d)}async function s(e){let t=q(e.message),n=e.type===\`conflict\`?await H(location.pathname):void 0;if(n?.ok)return $(k(n.body),W(t));a.textContent=t;for(let t of i)t.disabled=e.type===\`forbidden\`}return C(\`section\`,{"aria-label":\`Decision\`},[C(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),r,C(\`div\`,{class:\`buttons\`},i),a])}G()})();`

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

// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function n(e,{leaf:t,isMessage:n=!1}={}){let a=n?72:64;return(t===void 0&&i(e,a)?r(e):void 0)??new h(e,{leaf:t,maxDepth:a}).read()}function r(e){try{return{value:JSON.parse(e)}}catch{return}}function i(e,t){let n=e.includes(\`\\\\\`),r=0;for(let i=0;i<e.length;i+=1){let o=e.charCodeAt(i);if(o===34?i=a(e,i,n):d(o)?i=c(e,i):o===123||o===91?r+=1:(o===125||o===93)&&--r,i===-1||r>t)return!1}return!0}function a(e,t,n){let r=e.indexOf(\`"\`,t+1);if(!n)return r===-1?e.length:r;for(;s(e,r);)r=e.indexOf(\`"\`,r+1);return r===-1?e.length:e.charCodeAt(l(e,r+1))===58&&o(e,t,r)?-1:r}function o(e,t,n){for(let r=t;r<n;r+=1)if(e.charCodeAt(r)===92)return!0;return!1}function s(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function c(e,t){let n=t;for(;d(e.charCodeAt(n+1));)n+=1;return n-t>300||ee(e,n+1)?-1:n}function l(e,t){let n=t;for(;u(e.charCodeAt(n));)n+=1;return n}function u(e){return e===32||e===10||e===13||e===9}function d(e){return e>=48&&e<=57}function ee(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let f=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,te=/^[0-9a-fA-F]{4}$/,ne=new Map(Object.entries({'"':\`"\`,"\\\\":\`\\\\\`,"/":\`/\`,b:\`\\b\`,f:\`\\f\`,n:\`
\`,r:\`\\r\`,t:\`	\`})),p=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var m=class extends Error{},h=class{text;options;frames=[];at=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof m))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(e===123||e===91){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=l(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);_(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.at+=1,n||this.readName(),!1)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`),this.at+=1;let t=this.frames.at(-1);t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||d(e))return this.readNumber(t);let n=p.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){f.lastIndex=e,f.test(this.text)||this.refuse(\`syntax\`);let t=f.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=\`\`,n=this.at+1;for(this.at=n;;this.at+=1){let r=e.charCodeAt(this.at);if(r===34)break;r===92?(t+=e.slice(n,this.at)+this.readEscape(),n=this.at+1):r>=32||this.refuse(\`syntax\`)}return this.at+=1,t+e.slice(n,this.at-1)}readEscape(){let{text:e,at:t}=this,n=e.charAt(t+1),r=e.slice(t+2,t+6),i=n===\`u\`&&te.test(r),a=i?String.fromCharCode(Number.parseInt(r,16)):ne.get(n);return a===void 0?this.refuse(\`syntax\`):(this.at+=i?5:1,a)}refuse(e){throw new m(e)}faultOf(e){let t=this.text.slice(0,this.at).split(/\\r\\n|\\r|\\n/),[n,r]=[t.length,(t.at(-1)?.length??0)+1],i=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:g[e],a=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${i} (line \${n}, column \${r})\`,path:a,line:n,column:r}}};let g={syntax:\`there is an unexpected character\`,too_deep:\`it is nested too deep\`,not_finite:\`a number is too large\`};function _({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e||(e[t]=n)}let v=/[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]/gu;function y(e,t=x){return e.replace(v,t)}function b(e){return e.split(/(\\r?\\n|\\t)/).map((e,t)=>t%2==1?e.replace(\`\\r\`,\`\`):y(e)).join(\`\`)}function x(e){return\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`}function S(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?b(e):e)),r}function C(e){return S(\`dl\`,{},e.filter(e=>e!==void 0).flatMap(([e,t])=>[S(\`dt\`,{},[e]),S(\`dd\`,{},[t])]))}function w(e){if(Array.isArray(e))return e.length===0?\`none\`:S(\`ol\`,{},e.map(e=>S(\`li\`,{},[w(e)])));if(typeof e==\`object\`&&e){let t=Object.entries(e);return t.length===0?\`none\`:C(t.map(([e,t])=>[e,w(t)]))}return S(\`span\`,{class:\`value\`},[typeof e==\`string\`?e:String(e)])}function T(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return e;let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return S(\`time\`,{datetime:e},[n])}let E=[[\`day\`,86400],[\`hour\`,3600],[\`minute\`,60]];function D(e){let t=(new Date(e).getTime()-Date.now())/1e3;if(Number.isNaN(t))return\`\`;let[n,r]=E.find(([,e])=>Math.abs(t)>=e)??[\`second\`,1];return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(t/r),n)}function O(e){let t=k(e),n=e=>j(t[e]),{quorum:r}=t;return{state:n(\`state\`),operation:n(\`operation\`),message:n(\`message\`),role:n(\`role\`),requester:n(\`requester\`),requesterIssuer:n(\`requesterIssuer\`),requestedFor:n(\`requestedFor\`),requestedForIssuer:n(\`requestedForIssuer\`),isConfirmation:n(\`by\`)===\`requester\`,request:k(t.request),digest:n(\`digest\`),quorum:typeof r==\`number\`?r:1,decisions:A(t.decisions).map(k),via:A(t.via).map(j),createdAt:n(\`createdAt\`),expiresAt:n(\`expiresAt\`)}}function k(e){return typeof e==\`object\`&&e?e:{}}function A(e){return Array.isArray(e)?e:[]}function j(e){return typeof e==\`string\`?e:\`\`}function re(e){let{operation:t,requester:n,requestedFor:r,via:i,createdAt:a,expiresAt:o}=e;return[S(\`p\`,{class:\`message\`},[e.message]),C([[\`Operation\`,t],[\`Asked by\`,M(n,e.requesterIssuer)],r===\`\`?void 0:[\`On behalf of\`,M(r,e.requestedForIssuer)],i.length===0?void 0:[\`Way\`,N(e)],a===\`\`?void 0:[\`Asked\`,T(a)],o===\`\`?void 0:[\`Expires\`,P(e)],[\`Needed\`,F(e)]]),...I(e),...L(e)]}function M(e,t){let n=t===\`\`?[]:[S(\`span\`,{class:\`issuer\`},[\` at \${t}\`])];return S(\`span\`,{},[S(\`span\`,{},[e]),...n])}function N({via:e,requester:t,operation:n}){return S(\`ol\`,{class:\`way\`},[...e,\`\${t} called \${n}\`].map(e=>S(\`li\`,{},[e])))}function P({expiresAt:e,state:t}){let n=t===\`pending\`?\` (\${D(e)})\`:\`\`;return S(\`span\`,{},[T(e),n])}function F({quorum:e,role:t,decisions:n,isConfirmation:r}){if(r)return\`A confirmation by the person who asked\`;let i=n.filter(({verdict:e})=>e===\`approved\`).length,a=t===\`\`?\`\`:\` with the role \${t}\`;return e===1?\`One approval by somebody else\${a}\`:\`\${i} of \${e} approvals by different people\${a}\`}function I(e){if(e.decisions.length===0)return[];let t=e.decisions.map(({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i})=>S(\`li\`,{},[S(\`strong\`,{},[M(j(e),j(t))]),\` \${j(n)} \`,...j(i)===\`\`?[]:[T(j(i))],...j(r)===\`\`?[]:[S(\`p\`,{class:\`comment\`},[j(r)])]]));return[S(\`h2\`,{},[\`Decisions\`]),S(\`ul\`,{class:\`decisions\`},t)]}function L({request:e,digest:t}){let{method:n,path:r,inputs:i,truncated:a}=e,o=[j(n),j(r)].filter(e=>e!==\`\`).join(\` \`);return o===\`\`?[S(\`p\`,{class:\`cut\`},[\`The service does not show the request.\`])]:[S(\`h2\`,{},[\`Request\`]),S(\`p\`,{class:\`line\`},[o]),...a===!0?[S(\`p\`,{class:\`cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],S(\`div\`,{class:\`inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`},[w(k(i))]),...t===\`\`?[]:[S(\`p\`,{class:\`digest\`},[\`Digest \${t}\`])]]}function R(e){let t=e.split(\`.\`)[1]??\`\`;try{let e=atob(t.replaceAll(\`-\`,\`+\`).replaceAll(\`_\`,\`/\`)),r=Uint8Array.from(e,e=>e.charCodeAt(0)),{sub:i,iss:a}=Object(n(new TextDecoder().decode(r)).value);return typeof i==\`string\`?{subject:i,issuer:String(a??\`\`)}:void 0}catch{return}}function z(e,t){if(t===void 0)return\`\`;let n=(e,n)=>e===t.subject&&(n===\`\`||n===void 0||n===t.issuer);if(e.decisions.some(({decidedBy:e,decidedByIssuer:t})=>n(e,t)))return\`You have decided it. Others have to decide too.\`;let r=n(e.requester,e.requesterIssuer),i=n(e.requestedFor,e.requestedForIssuer);if(e.isConfirmation)return(e.requestedFor===\`\`?r:i)?\`\`:\`Only the person who asked confirms it.\`;let a=e.role===\`\`?\`Somebody else\`:\`Somebody else with the role \${e.role}\`;return r?\`You are the requester. \${a} decides it.\`:i?\`An agent asked for it on your behalf. \${a} decides it.\`:\`\`}let B={"X-Agentic-Page":\`approvals\`},V=\`agentic-approvals-tenant\`,H=\`agentic-approvals-reader\`;async function U(t,r={}){let i=sessionStorage.getItem(V)??\`\`,a={...B,...i!==\`\`&&{[e.tenantId]:i}},o={...r,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...r.headers}};try{let e=await fetch(t,o),{value:r}=n(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(r)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function W(e,t){let n=document.getElementById(\`page\`);n?.dispatchEvent(new Event(\`left\`)),document.title=e,n?.replaceChildren(S(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function G(e){return S(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function K(e){let{status:n,ok:r,body:i}=await U(location.pathname);r?$(O(i)):X(n===t.unauthenticated?e:q(n,i))}function q(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:J(n.message)}function J(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function Y(e,t,n){let r=S(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[S(\`label\`,{for:e},[t]),r]}}function X(e){let t=Y(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=Y(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(V)??\`\`;let r=S(\`form\`,{},[...t.parts,...n.parts,S(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(V,n.input.value.trim()),ie(t.input.value.trim())});let i=S(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);W(\`Approval\`,[e===void 0?i:G(e),r]),t.input.focus()}async function ie(t){if(t.length>3700)return X(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await U(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return X(J(r.message));sessionStorage.setItem(H,JSON.stringify(R(t)??null)),await K(\`The token was not accepted.\`)}async function ae(){await U(\`session\`,{method:\`DELETE\`}),sessionStorage.removeItem(H),X()}let Z={pending:\`Approval needed\`,approved:\`Approved\`,rejected:\`Rejected\`,used:\`Approved and used\`,expired:\`Expired\`,withdrawn:\`Withdrawn\`};function Q(e){if(e.state!==\`pending\`&&e.state!==\`approved\`)return;let t=new AbortController;document.getElementById(\`page\`)?.addEventListener(\`left\`,()=>t.abort(),{once:!0});let n=setTimeout(async()=>{let{ok:n,body:r}=document.hidden?{ok:!1,body:{}}:await U(location.pathname),i=n?O(r):e;if(t.signal.aborted)return;if(JSON.stringify(i)===JSON.stringify(e))return Q(e);let a=document.querySelector(\`#comment\`)?.value??\`\`;$(i,S(\`p\`,{role:\`status\`},[\`Changed meanwhile: \${Z[i.state]??i.state}.\`]));let o=document.querySelector(\`#comment\`);o!==null&&(o.value=a)},1500);t.signal.addEventListener(\`abort\`,()=>clearTimeout(n))}function $(e,t){let n=S(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void ae()),W(Z[e.state]??\`Approval\`,[...t===void 0?[]:[t],...re(e),...e.state===\`approved\`?[S(\`p\`,{},[\`The requester goes on by sending the request again with its approval token.\`])]:[],...e.state===\`pending\`?[se(e)]:[],S(\`p\`,{class:\`foot\`},[n])]),Q(e);let r=document.querySelector(\`h1\`);r?.setAttribute(\`tabindex\`,\`-1\`),r?.focus()}function oe(e){return S(\`p\`,{role:\`status\`},[e===\`approve\`?\`You approved it.\`:\`You rejected it.\`])}function se(e){let{value:t}=n(sessionStorage.getItem(H)??\`null\`),r=z(e,t??void 0);return r===\`\`?ce(e):S(\`p\`,{},[r])}function ce(n){let r=S(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),i=[\`approve\`,\`reject\`].map(e=>{let t=S(\`button\`,{type:\`button\`,class:e},[e===\`approve\`?\`Approve\`:\`Reject\`]);return t.addEventListener(\`click\`,()=>void o(e)),t}),a=S(\`p\`,{role:\`alert\`});async function o(o){for(let e of i)e.disabled=!0;a.textContent=\`\`;let c={...n.digest!==\`\`&&{digest:n.digest},...r.value.trim()!==\`\`&&{comment:r.value.trim()}},{status:l,ok:u,body:d}=await U(\`\${location.pathname}/\${o}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(c)});u?$(O(d),oe(o)):l===t.unauthenticated?X(\`Your session has ended. Sign in again.\`):await s(d)}async function s(e){let t=J(e.message),n=e.type===\`conflict\`?await U(location.pathname):void 0;if(n?.ok)return $(O(n.body),G(t));a.textContent=t;for(let t of i)t.disabled=e.type===\`forbidden\`}return S(\`section\`,{"aria-label":\`Decision\`},[S(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),r,S(\`div\`,{class:\`buttons\`},i),a])}K()})();`

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

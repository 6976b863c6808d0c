// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function n(e,{leaf:t,isMessage:n=!1}={}){let a=n?72:64;return(t===void 0&&i(e,a)?r(e):void 0)??new g(e,{leaf:t,maxDepth:a}).read()}function r(e){try{return{value:JSON.parse(e)}}catch{return}}function i(e,t){let n=e.includes(\`\\\\\`),r=0;for(let i=0;i<e.length;i+=1){let o=e.charCodeAt(i);if(o===34?i=a(e,i,n):d(o)?i=c(e,i):o===123||o===91?r+=1:(o===125||o===93)&&--r,i===-1||r>t)return!1}return!0}function a(e,t,n){let r=e.indexOf(\`"\`,t+1);if(!n)return r===-1?e.length:r;for(;s(e,r);)r=e.indexOf(\`"\`,r+1);return r===-1?e.length:e.charCodeAt(l(e,r+1))===58&&o(e,t,r)?-1:r}function o(e,t,n){for(let r=t;r<n;r+=1)if(e.charCodeAt(r)===92)return!0;return!1}function s(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function c(e,t){let n=t;for(;d(e.charCodeAt(n+1));)n+=1;return n-t>300||ee(e,n+1)?-1:n}function l(e,t){let n=t;for(;u(e.charCodeAt(n));)n+=1;return n}function u(e){return e===32||e===10||e===13||e===9}function d(e){return e>=48&&e<=57}function ee(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let f=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,te=/^[0-9a-fA-F]{4}$/,p=new Map(Object.entries({'"':\`"\`,"\\\\":\`\\\\\`,"/":\`/\`,b:\`\\b\`,f:\`\\f\`,n:\`
\`,r:\`\\r\`,t:\`	\`})),m=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var h=class extends Error{},g=class{text;options;frames=[];at=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof h))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(e===123||e===91){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=l(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);re(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.at+=1,n||this.readName(),!1)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`),this.at+=1;let t=this.frames.at(-1);t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||d(e))return this.readNumber(t);let n=m.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){f.lastIndex=e,f.test(this.text)||this.refuse(\`syntax\`);let t=f.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=\`\`,n=this.at+1;for(this.at=n;;this.at+=1){let r=e.charCodeAt(this.at);if(r===34)break;r===92?(t+=e.slice(n,this.at)+this.readEscape(),n=this.at+1):r>=32||this.refuse(\`syntax\`)}return this.at+=1,t+e.slice(n,this.at-1)}readEscape(){let{text:e,at:t}=this,n=e.charAt(t+1),r=e.slice(t+2,t+6),i=n===\`u\`&&te.test(r),a=i?String.fromCharCode(Number.parseInt(r,16)):p.get(n);return a===void 0?this.refuse(\`syntax\`):(this.at+=i?5:1,a)}refuse(e){throw new h(e)}faultOf(e){let t=this.text.slice(0,this.at).split(/\\r\\n|\\r|\\n/),[n,r]=[t.length,(t.at(-1)?.length??0)+1],i=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:ne[e],a=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${i} (line \${n}, column \${r})\`,path:a,line:n,column:r}}};let ne={syntax:\`there is an unexpected character\`,too_deep:\`it is nested too deep\`,not_finite:\`a number is too large\`};function re({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e||(e[t]=n)}let ie=/[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]/gu;function ae(e,t=se){return e.replace(ie,t)}function oe(e){return e.split(/(\\r?\\n|\\t)/).map((e,t)=>t%2==1?e.replace(\`\\r\`,\`\`):ae(e)).join(\`\`)}function se(e){return\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`}function ce(e){let t=e.split(\`.\`)[1]??\`\`;try{let e=atob(t.replaceAll(\`-\`,\`+\`).replaceAll(\`_\`,\`/\`)),r=Uint8Array.from(e,e=>e.charCodeAt(0));return Object(n(new TextDecoder().decode(r)).value)}catch{return{}}}function le(e,t){if(Object.hasOwn(e,t))return e[t];let n=e;for(let e of t.split(\`.\`)){if(typeof n!=\`object\`||!n||!Object.hasOwn(n,e))return;n=n[e]}return n}function _(e,t){let n=e=>typeof e==typeof t&&!Number.isNaN(e);return{schema:e,is:n,absent:t,read:e=>n(e)?e:t}}let v=_({type:\`string\`},\`\`),y=_({type:\`string\`,format:\`date-time\`},\`\`),ue={..._({type:\`integer\`,minimum:1},1),read:e=>typeof e==\`number\`&&e>1?e:1},de=_({const:!0},!1);function b(...e){return _({type:\`string\`,enum:e},\`\`)}function x(e,t){return{...t,schema:{...t.schema,description:e}}}function fe(e){return{schema:{anyOf:[e.schema,{type:\`null\`}]},is:t=>t===null||e.is(t),absent:null,read:t=>e.is(t)?e.read(t):null}}function S(e){return{schema:{type:\`array\`,items:e.schema},is:Array.isArray,absent:[],read:t=>Array.isArray(t)?t.map(e.read):[]}}let pe={schema:{type:\`object\`},is:w,absent:{},read:T};function C(e,t=[]){let n=Object.entries(e),r=e=>t.includes(e);function i(e){let t=T(e);return Object.fromEntries(n.map(([e,n])=>{let i=Object.hasOwn(t,e)?t[e]:void 0;return[e,r(e)&&!n.is(i)?n.absent:n.read(i)]}))}let a=Object.fromEntries(n.map(([e,{schema:t}])=>[e,t])),o=n.filter(([e])=>!r(e));return{schema:{type:\`object\`,properties:a,required:o.map(([e])=>e)},is:e=>w(e)&&o.every(([t,{is:n}])=>n(T(e)[t])),absent:null,read:i}}function w(e){return typeof e==\`object\`&&!!e&&!Array.isArray(e)}function T(e){return w(e)?e:{}}let me=[\`pending\`,\`approved\`,\`rejected\`,\`used\`,\`expired\`,\`withdrawn\`],he=C({decidedBy:v,decidedByIssuer:v,verdict:b(\`approved\`,\`rejected\`),comment:v,decidedAt:y},[\`decidedByIssuer\`,\`comment\`,\`decidedAt\`]),ge=C({method:v,path:v,inputs:x(\`The inputs by place: path, query, header, body.\`,pe),truncated:x(\`Values were left out because of their size.\`,de)},[\`truncated\`]),E=C({approvalId:v,state:b(...me),operation:v,message:v,approver:C({name:v}),role:x(\`The role that decides; empty if the requester confirms.\`,v),by:x(\`Set if the requester, or the person behind it, confirms.\`,b(\`requester\`)),requester:v,requesterIssuer:v,requestedFor:x(\`The person on whose behalf the requester, an agent, asked.\`,v),requestedForIssuer:v,request:x(\`The request without its secrets; null if an older version kept none.\`,fe(ge)),digest:v,quorum:ue,decisions:S(he),via:x(\`The calls that led to the requester, the first one first.\`,S(v)),correlationId:v,createdAt:y,expiresAt:y,decidedBy:x(\`The decider whose decision was the last one needed.\`,v),decidedByIssuer:v,decidedAt:y},[\`approver\`,\`by\`,\`requesterIssuer\`,\`requestedFor\`,\`requestedForIssuer\`,\`correlationId\`,\`decidedBy\`,\`decidedByIssuer\`,\`decidedAt\`]),_e=C({approvals:S(E),next:x(\`The cursor of the next page; absent on the last one.\`,v)},[\`next\`]);E.schema,_e.schema;let D=E.read;function ve(e,t=\`sub\`){let n=ce(e),[r,i]=[le(n,t),n.iss];return{subject:O(r),issuer:O(i)}}function O(e){return typeof e==\`string\`&&e!==\`\`?e:void 0}function k({subject:e,issuer:t},n,r){return e===void 0||e!==n?!1:r===\`\`||t===void 0||t===r}function A({requester:e,requesterIssuer:t},n){return k(n,e,t)}function j({requestedFor:e,requestedForIssuer:t},n){return k(n,e,t)}function M({by:e}){return e===\`requester\`}function N(e,t){let{decisions:n,role:r,requestedFor:i}=e;if(t.subject===void 0)return\`\`;if(n.some(({decidedBy:e,decidedByIssuer:n})=>k(t,e,n)))return\`You have decided it. Others have to decide too.\`;if(M(e))return(i===\`\`?A(e,t):j(e,t))?\`\`:\`Only the person who asked confirms it.\`;let a=r===\`\`?\`Somebody else\`:\`Somebody else with the role \${r}\`;return A(e,t)?\`You are the requester. \${a} decides it.\`:j(e,t)?\`An agent asked for it on your behalf. \${a} decides it.\`:\`\`}function P({decisions:e}){return e.filter(({verdict:e})=>e===\`approved\`).length}function F(e){let{quorum:t,role:n}=e;if(M(e))return\`A confirmation by the person who asked\`;let r=n===\`\`?\`\`:\` with the role \${n}\`;return t===1?\`One approval by somebody else\${r}\`:\`\${P(e)} of \${t} approvals by different people\${r}\`}function ye(e){return e===null?\`\`:\`\${e.method} \${e.path}\`.trim()}function I(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?oe(e):e)),r}function L(e){return I(\`dl\`,{},e.filter(e=>e!==void 0).flatMap(([e,t])=>[I(\`dt\`,{},[e]),I(\`dd\`,{},[t])]))}function R(e){if(Array.isArray(e))return e.length===0?\`none\`:I(\`ol\`,{},e.map(e=>I(\`li\`,{},[R(e)])));if(typeof e==\`object\`&&e){let t=Object.entries(e);return t.length===0?\`none\`:L(t.map(([e,t])=>[e,R(t)]))}return I(\`span\`,{class:\`value\`},[typeof e==\`string\`?e:String(e)])}function z(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return e;let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return I(\`time\`,{datetime:e},[n])}let be=[[\`day\`,86400],[\`hour\`,3600],[\`minute\`,60]];function xe(e){let t=(new Date(e).getTime()-Date.now())/1e3;if(Number.isNaN(t))return\`\`;let[n,r]=be.find(([,e])=>Math.abs(t)>=e)??[\`second\`,1];return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(t/r),n)}function Se(e){let{operation:t,requester:n,requestedFor:r,via:i,createdAt:a,expiresAt:o}=e;return[I(\`p\`,{class:\`message\`},[e.message]),L([[\`Operation\`,t],[\`Asked by\`,B(n,e.requesterIssuer)],r===\`\`?void 0:[\`On behalf of\`,B(r,e.requestedForIssuer)],i.length===0?void 0:[\`Way\`,Ce(e)],a===\`\`?void 0:[\`Asked\`,z(a)],o===\`\`?void 0:[\`Expires\`,we(e)],[\`Needed\`,F(e)]]),...Te(e),...Ee(e)]}function B(e,t){let n=t===\`\`?[]:[I(\`span\`,{class:\`issuer\`},[\` at \${t}\`])];return I(\`span\`,{},[I(\`span\`,{},[e]),...n])}function Ce({via:e,requester:t,operation:n}){return I(\`ol\`,{class:\`way\`},[...e,\`\${t} called \${n}\`].map(e=>I(\`li\`,{},[e])))}function we({expiresAt:e,state:t}){let n=t===\`pending\`?\` (\${xe(e)})\`:\`\`;return I(\`span\`,{},[z(e),n])}function Te(e){if(e.decisions.length===0)return[];let t=e.decisions.map(({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i})=>I(\`li\`,{},[I(\`strong\`,{},[B(e,t)]),\` \${n} \`,...i===\`\`?[]:[z(i)],...r===\`\`?[]:[I(\`p\`,{class:\`comment\`},[r])]]));return[I(\`h2\`,{},[\`Decisions\`]),I(\`ul\`,{class:\`decisions\`},t)]}function Ee({request:e,digest:t}){let n=ye(e);return e===null||n===\`\`?[I(\`p\`,{class:\`cut\`},[\`The service does not show the request.\`])]:[I(\`h2\`,{},[\`Request\`]),I(\`p\`,{class:\`line\`},[n]),...e.truncated?[I(\`p\`,{class:\`cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],I(\`div\`,{class:\`inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`},[R(e.inputs)]),...t===\`\`?[]:[I(\`p\`,{class:\`digest\`},[\`Digest \${t}\`])]]}let De={"X-Agentic-Page":\`approvals\`},V=\`agentic-approvals-tenant\`,H=\`agentic-approvals-reader\`;async function U(t,r={}){let i=sessionStorage.getItem(V)??\`\`,a={...De,...i!==\`\`&&{[e.tenantId]:i}},o={...r,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...r.headers}};try{let e=await fetch(t,o),{value:r}=n(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(r)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function W(e,t){let n=document.getElementById(\`page\`);n?.dispatchEvent(new Event(\`left\`)),document.title=e,n?.replaceChildren(I(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function G(e){return I(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function K(e){let{status:n,ok:r,body:i}=await U(location.pathname);r?$(D(i)):X(n===t.unauthenticated?e:q(n,i))}function q(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:J(n.message)}function J(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function Y(e,t,n){let r=I(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[I(\`label\`,{for:e},[t]),r]}}function X(e){let t=Y(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=Y(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(V)??\`\`;let r=I(\`form\`,{},[...t.parts,...n.parts,I(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(V,n.input.value.trim()),Oe(t.input.value.trim())});let i=I(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);W(\`Approval\`,[e===void 0?i:G(e),r]),t.input.focus()}async function Oe(t){if(t.length>3700)return X(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await U(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return X(J(r.message));sessionStorage.setItem(H,JSON.stringify(ve(t))),await K(\`The token was not accepted.\`)}async function ke(){await U(\`session\`,{method:\`DELETE\`}),sessionStorage.removeItem(H),X()}let Z={pending:\`Approval needed\`,approved:\`Approved\`,rejected:\`Rejected\`,used:\`Approved and used\`,expired:\`Expired\`,withdrawn:\`Withdrawn\`};function Q(e){if(e.state!==\`pending\`&&e.state!==\`approved\`)return;let t=new AbortController;document.getElementById(\`page\`)?.addEventListener(\`left\`,()=>t.abort(),{once:!0});let n=setTimeout(async()=>{let{ok:n,body:r}=document.hidden?{ok:!1,body:{}}:await U(location.pathname),i=n?D(r):e;if(t.signal.aborted)return;if(JSON.stringify(i)===JSON.stringify(e))return Q(e);let a=document.querySelector(\`#comment\`)?.value??\`\`;$(i,I(\`p\`,{role:\`status\`},[\`Changed meanwhile: \${Z[i.state]??i.state}.\`]));let o=document.querySelector(\`#comment\`);o!==null&&(o.value=a)},1500);t.signal.addEventListener(\`abort\`,()=>clearTimeout(n))}function $(e,t){let n=I(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void ke()),W(Z[e.state]??\`Approval\`,[...t===void 0?[]:[t],...Se(e),...e.state===\`approved\`?[I(\`p\`,{},[\`The requester goes on by sending the request again with its approval token.\`])]:[],...e.state===\`pending\`?[je(e)]:[],I(\`p\`,{class:\`foot\`},[n])]),Q(e);let r=document.querySelector(\`h1\`);r?.setAttribute(\`tabindex\`,\`-1\`),r?.focus()}function Ae(e){return I(\`p\`,{role:\`status\`},[e===\`approve\`?\`You approved it.\`:\`You rejected it.\`])}function je(e){let t=N(e,Object(n(sessionStorage.getItem(H)??\`{}\`).value));return t===\`\`?Me(e):I(\`p\`,{},[t])}function Me(n){let r=I(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),i=[\`approve\`,\`reject\`].map(e=>{let t=I(\`button\`,{type:\`button\`,class:e},[e===\`approve\`?\`Approve\`:\`Reject\`]);return t.addEventListener(\`click\`,()=>void o(e)),t}),a=I(\`p\`,{role:\`alert\`});async function o(o){for(let e of i)e.disabled=!0;a.textContent=\`\`;let c={...n.digest!==\`\`&&{digest:n.digest},...r.value.trim()!==\`\`&&{comment:r.value.trim()}},{status:l,ok:u,body:d}=await U(\`\${location.pathname}/\${o}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(c)});u?$(D(d),Ae(o)):l===t.unauthenticated?X(\`Your session has ended. Sign in again.\`):await s(d)}async function s(e){let t=J(e.message),n=e.type===\`conflict\`?await U(location.pathname):void 0;if(n?.ok)return $(D(n.body),G(t));a.textContent=t;for(let t of i)t.disabled=e.type===\`forbidden\`}return I(\`section\`,{"aria-label":\`Decision\`},[I(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),r,I(\`div\`,{class:\`buttons\`},i),a])}K()})();`

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

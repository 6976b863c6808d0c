// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function n(e,{leaf:t,isMessage:n=!1}={}){let a=n?72:64;return(t===void 0&&i(e,a)?r(e):void 0)??new h(e,{leaf:t,maxDepth:a}).read()}function r(e){try{return{value:JSON.parse(e)}}catch{return}}function i(e,t){let n=o(e,\`\\\\\`,0),r=0;for(let i=0;i<e.length;i+=1){let c=e.charCodeAt(i);if(c===34?i=s(e,i,n):f(c)?i=l(e,i):r+=a(c),i===-1||r>t)return!1;n<i&&(n=o(e,\`\\\\\`,i))}return!0}function a(e){return e===123||e===91?1:e===125||e===93?-1:0}function o(e,t,n){let r=e.indexOf(t,n);return r===-1?e.length:r}function s(e,t,n){let r=o(e,\`"\`,t+1);if(n>=r)return r;for(;r<e.length&&c(e,r);)r=o(e,\`"\`,r+1);return e.charCodeAt(u(e,r+1))===58?-1:r}function c(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function l(e,t){let n=t;for(;f(e.charCodeAt(n+1));)n+=1;return n-t>300||ee(e,n+1)?-1:n}function u(e,t){let n=t;for(;d(e.charCodeAt(n));)n+=1;return n}function d(e){return e===32||e===10||e===13||e===9}function f(e){return e>=48&&e<=57}function ee(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let p=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,te=/^[0-9a-fA-F]{4}$/,ne=new Map(Object.entries({'"':\`"\`,"\\\\":\`\\\\\`,"/":\`/\`,b:\`\\b\`,f:\`\\f\`,n:\`
\`,r:\`\\r\`,t:\`	\`})),re=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var m=class extends Error{},h=class{text;options;frames=[];at=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof m))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(e===123||e===91){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=u(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);ae(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.at+=1,n||this.readName(),!1)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`),this.at+=1;let t=this.frames.at(-1);t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||f(e))return this.readNumber(t);let n=re.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){p.lastIndex=e,p.test(this.text)||this.refuse(\`syntax\`);let t=p.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=\`\`,n=this.at+1;for(this.at=n;;this.at+=1){let r=e.charCodeAt(this.at);if(r===34)break;r===92?(t+=e.slice(n,this.at)+this.readEscape(),n=this.at+1):r>=32||this.refuse(\`syntax\`)}return this.at+=1,t+e.slice(n,this.at-1)}readEscape(){let{text:e,at:t}=this,n=e.charAt(t+1),r=e.slice(t+2,t+6),i=n===\`u\`&&te.test(r),a=i?String.fromCharCode(Number.parseInt(r,16)):ne.get(n);return a===void 0?this.refuse(\`syntax\`):(this.at+=i?5:1,a)}refuse(e){throw new m(e)}faultOf(e){let t=this.text.slice(0,this.at).split(/\\r\\n|\\r|\\n/),[n,r]=[t.length,(t.at(-1)?.length??0)+1],i=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:ie[e],a=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${i} (line \${n}, column \${r})\`,path:a,line:n,column:r}}};let ie={syntax:\`there is an unexpected character\`,too_deep:\`it is nested too deep\`,not_finite:\`a number is too large\`};function ae({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e||(e[t]=n)}let oe=/[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]/gu;function se(e,t=le){return e.replace(oe,t)}function ce(e){return e.split(/(\\r?\\n|\\t)/).map((e,t)=>t%2==1?e.replace(\`\\r\`,\`\`):se(e)).join(\`\`)}function le(e){return\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`}function ue(e){let t=e.split(\`.\`)[1]??\`\`;try{let e=atob(t.replaceAll(\`-\`,\`+\`).replaceAll(\`_\`,\`/\`)),r=Uint8Array.from(e,e=>e.charCodeAt(0));return Object(n(new TextDecoder().decode(r)).value)}catch{return{}}}function g(e,t){if(Object.hasOwn(e,t))return e[t];let n=e;for(let e of t.split(\`.\`)){if(typeof n!=\`object\`||!n||!Object.hasOwn(n,e))return;n=n[e]}return n}function _(e,t){let n=e=>typeof e==typeof t&&!Number.isNaN(e);return{schema:e,is:n,absent:t,read:e=>n(e)?e:t}}let v=_({type:\`string\`},\`\`),y=_({type:\`string\`,format:\`date-time\`},\`\`),b={..._({type:\`integer\`,minimum:1},1),read:e=>typeof e==\`number\`&&e>1?e:1},de=_({const:!0},!1);function x(...e){return _({type:\`string\`,enum:e},\`\`)}function S(e,t){return{...t,schema:{...t.schema,description:e}}}function fe(e){return{schema:{anyOf:[e.schema,{type:\`null\`}]},is:t=>t===null||e.is(t),absent:null,read:t=>e.is(t)?e.read(t):null}}function C(e){return{schema:{type:\`array\`,items:e.schema},is:Array.isArray,absent:[],read:t=>Array.isArray(t)?t.map(e.read):[]}}let pe={schema:{type:\`object\`},is:T,absent:{},read:E};function w(e,t=[]){let n=Object.entries(e),r=e=>t.includes(e);function i(e){let t=E(e);return Object.fromEntries(n.map(([e,n])=>{let i=Object.hasOwn(t,e)?t[e]:void 0;return[e,r(e)&&!n.is(i)?n.absent:n.read(i)]}))}let a=Object.fromEntries(n.map(([e,{schema:t}])=>[e,t])),o=n.filter(([e])=>!r(e));return{schema:{type:\`object\`,properties:a,required:o.map(([e])=>e)},is:e=>T(e)&&o.every(([t,{is:n}])=>n(E(e)[t])),absent:null,read:i}}function T(e){return typeof e==\`object\`&&!!e&&!Array.isArray(e)}function E(e){return T(e)?e:{}}let D=[\`pending\`,\`approved\`,\`rejected\`,\`used\`,\`expired\`,\`withdrawn\`],me=w({decidedBy:v,decidedByIssuer:v,verdict:x(\`approved\`,\`rejected\`),comment:v,decidedAt:y},[\`decidedByIssuer\`,\`comment\`,\`decidedAt\`]),he=w({method:v,path:v,inputs:S(\`The inputs by place: path, query, header, body.\`,pe),truncated:S(\`Values were left out because of their size.\`,de)},[\`truncated\`]),O=w({approvalId:v,state:x(...D),operation:v,message:v,approver:w({name:v}),role:S(\`The role that decides; empty if the requester confirms.\`,v),by:S(\`Set if the requester, or the person behind it, confirms.\`,x(\`requester\`)),requester:v,requesterIssuer:v,requestedFor:S(\`The person on whose behalf the requester, an agent, asked.\`,v),requestedForIssuer:v,request:S(\`The request without its secrets; null if an older version kept none.\`,fe(he)),digest:v,quorum:b,decisions:C(me),via:S(\`The calls that led to the requester, the first one first.\`,C(v)),correlationId:v,createdAt:y,expiresAt:y,decidedBy:S(\`The decider whose decision was the last one needed.\`,v),decidedByIssuer:v,decidedAt:y},[\`approver\`,\`by\`,\`requesterIssuer\`,\`requestedFor\`,\`requestedForIssuer\`,\`correlationId\`,\`decidedBy\`,\`decidedByIssuer\`,\`decidedAt\`]),ge=w({approvals:C(O),next:S(\`The cursor of the next page; absent on the last one.\`,v)},[\`next\`]);O.schema,ge.schema;let k=O.read;function _e(e,t=\`sub\`){let n=ue(e),[r,i]=[g(n,t),n.iss];return{subject:A(r),issuer:A(i)}}function A(e){return typeof e==\`string\`&&e!==\`\`?e:void 0}function j({subject:e,issuer:t},n,r){return e===void 0||e!==n?!1:r===\`\`||t===void 0||t===r}function M({requester:e,requesterIssuer:t},n){return j(n,e,t)}function N({requestedFor:e,requestedForIssuer:t},n){return j(n,e,t)}function P({by:e}){return e===\`requester\`}function F(e,t){let{decisions:n,role:r,requestedFor:i}=e;if(t.subject===void 0)return\`\`;if(n.some(({decidedBy:e,decidedByIssuer:n})=>j(t,e,n)))return\`You have decided it. Others have to decide too.\`;if(P(e))return(i===\`\`?M(e,t):N(e,t))?\`\`:\`Only the person who asked confirms it.\`;let a=r===\`\`?\`Somebody else\`:\`Somebody else with the role \${r}\`;return M(e,t)?\`You are the requester. \${a} decides it.\`:N(e,t)?\`An agent asked for it on your behalf. \${a} decides it.\`:\`\`}function I({decisions:e}){return e.filter(({verdict:e})=>e===\`approved\`).length}function ve(e){let{quorum:t,role:n}=e;if(P(e))return\`A confirmation by the person who asked\`;let r=n===\`\`?\`\`:\` with the role \${n}\`;return t===1?\`One approval by somebody else\${r}\`:\`\${I(e)} of \${t} approvals by different people\${r}\`}function ye(e){return e===null?\`\`:\`\${e.method} \${e.path}\`.trim()}function L(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?ce(e):e)),r}function R(e){return L(\`dl\`,{},e.filter(e=>e!==void 0).flatMap(([e,t])=>[L(\`dt\`,{},[e]),L(\`dd\`,{},[t])]))}function z(e){if(Array.isArray(e))return e.length===0?\`none\`:L(\`ol\`,{},e.map(e=>L(\`li\`,{},[z(e)])));if(typeof e==\`object\`&&e){let t=Object.entries(e);return t.length===0?\`none\`:R(t.map(([e,t])=>[e,z(t)]))}return L(\`span\`,{class:\`value\`},[typeof e==\`string\`?e:String(e)])}function B(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return e;let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return L(\`time\`,{datetime:e},[n])}let be=[[\`day\`,86400],[\`hour\`,3600],[\`minute\`,60]];function xe(e){let t=(new Date(e).getTime()-Date.now())/1e3;if(Number.isNaN(t))return\`\`;let[n,r]=be.find(([,e])=>Math.abs(t)>=e)??[\`second\`,1];return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(t/r),n)}function Se(e){let{operation:t,requester:n,requestedFor:r,via:i,createdAt:a,expiresAt:o}=e;return[L(\`p\`,{class:\`message\`},[e.message]),R([[\`Operation\`,t],[\`Asked by\`,V(n,e.requesterIssuer)],r===\`\`?void 0:[\`On behalf of\`,V(r,e.requestedForIssuer)],i.length===0?void 0:[\`Way\`,Ce(e)],a===\`\`?void 0:[\`Asked\`,B(a)],o===\`\`?void 0:[\`Expires\`,we(e)],[\`Needed\`,ve(e)]]),...Te(e),...Ee(e)]}function V(e,t){let n=t===\`\`?[]:[L(\`span\`,{class:\`issuer\`},[\` at \${t}\`])];return L(\`span\`,{},[L(\`span\`,{},[e]),...n])}function Ce({via:e,requester:t,operation:n}){return L(\`ol\`,{class:\`way\`},[...e,\`\${t} called \${n}\`].map(e=>L(\`li\`,{},[e])))}function we({expiresAt:e,state:t}){let n=t===\`pending\`?\` (\${xe(e)})\`:\`\`;return L(\`span\`,{},[B(e),n])}function Te(e){if(e.decisions.length===0)return[];let t=e.decisions.map(({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i})=>L(\`li\`,{},[L(\`strong\`,{},[V(e,t)]),\` \${n} \`,...i===\`\`?[]:[B(i)],...r===\`\`?[]:[L(\`p\`,{class:\`comment\`},[r])]]));return[L(\`h2\`,{},[\`Decisions\`]),L(\`ul\`,{class:\`decisions\`},t)]}function Ee({request:e,digest:t}){let n=ye(e);return e===null||n===\`\`?[L(\`p\`,{class:\`cut\`},[\`The service does not show the request.\`])]:[L(\`h2\`,{},[\`Request\`]),L(\`p\`,{class:\`line\`},[n]),...e.truncated?[L(\`p\`,{class:\`cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],L(\`div\`,{class:\`inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`},[z(e.inputs)]),...t===\`\`?[]:[L(\`p\`,{class:\`digest\`},[\`Digest \${t}\`])]]}let De={"X-Agentic-Page":\`approvals\`},H=\`agentic-approvals-tenant\`,U=\`agentic-approvals-reader\`;async function W(t,r={}){let i=sessionStorage.getItem(H)??\`\`,a={...De,...i!==\`\`&&{[e.tenantId]:i}},o={...r,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...r.headers}};try{let e=await fetch(t,o),{value:r}=n(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(r)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function G(e,t){let n=document.getElementById(\`page\`);n?.dispatchEvent(new Event(\`left\`)),document.title=e,n?.replaceChildren(L(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function K(e){return L(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function q(e){let{status:n,ok:r,body:i}=await W(location.pathname);r?$(k(i)):X(n===t.unauthenticated?e:Oe(n,i))}function Oe(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:J(n.message)}function J(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function Y(e,t,n){let r=L(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[L(\`label\`,{for:e},[t]),r]}}function X(e){let t=Y(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=Y(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(H)??\`\`;let r=L(\`form\`,{},[...t.parts,...n.parts,L(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(H,n.input.value.trim()),ke(t.input.value.trim())});let i=L(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);G(\`Approval\`,[e===void 0?i:K(e),r]),t.input.focus()}async function ke(t){if(t.length>3700)return X(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await W(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return X(J(r.message));sessionStorage.setItem(U,JSON.stringify(_e(t))),await q(\`The token was not accepted.\`)}async function Ae(){await W(\`session\`,{method:\`DELETE\`}),sessionStorage.removeItem(U),X()}let Z={pending:\`Approval needed\`,approved:\`Approved\`,rejected:\`Rejected\`,used:\`Approved and used\`,expired:\`Expired\`,withdrawn:\`Withdrawn\`};function Q(e){if(e.state!==\`pending\`&&e.state!==\`approved\`)return;let t=new AbortController;document.getElementById(\`page\`)?.addEventListener(\`left\`,()=>t.abort(),{once:!0});let n=setTimeout(async()=>{let{ok:n,body:r}=document.hidden?{ok:!1,body:{}}:await W(location.pathname),i=n?k(r):e;if(t.signal.aborted)return;if(JSON.stringify(i)===JSON.stringify(e))return Q(e);let a=document.querySelector(\`#comment\`)?.value??\`\`;$(i,L(\`p\`,{role:\`status\`},[\`Changed meanwhile: \${Z[i.state]??i.state}.\`]));let o=document.querySelector(\`#comment\`);o!==null&&(o.value=a)},1500);t.signal.addEventListener(\`abort\`,()=>clearTimeout(n))}function $(e,t){let n=L(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void Ae()),G(Z[e.state]??\`Approval\`,[...t===void 0?[]:[t],...Se(e),...e.state===\`approved\`?[L(\`p\`,{},[\`The requester goes on by sending the request again with its approval token.\`])]:[],...e.state===\`pending\`?[Me(e)]:[],L(\`p\`,{class:\`foot\`},[n])]),Q(e);let r=document.querySelector(\`h1\`);r?.setAttribute(\`tabindex\`,\`-1\`),r?.focus()}function je(e){return L(\`p\`,{role:\`status\`},[e===\`approve\`?\`You approved it.\`:\`You rejected it.\`])}function Me(e){let t=F(e,Object(n(sessionStorage.getItem(U)??\`{}\`).value));return t===\`\`?Ne(e):L(\`p\`,{},[t])}function Ne(n){let r=L(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),i=[\`approve\`,\`reject\`].map(e=>{let t=L(\`button\`,{type:\`button\`,class:e},[e===\`approve\`?\`Approve\`:\`Reject\`]);return t.addEventListener(\`click\`,()=>void o(e)),t}),a=L(\`p\`,{role:\`alert\`});async function o(o){for(let e of i)e.disabled=!0;a.textContent=\`\`;let c={...n.digest!==\`\`&&{digest:n.digest},...r.value.trim()!==\`\`&&{comment:r.value.trim()}},{status:l,ok:u,body:d}=await W(\`\${location.pathname}/\${o}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(c)});u?$(k(d),je(o)):l===t.unauthenticated?X(\`Your session has ended. Sign in again.\`):await s(d)}async function s(e){let t=J(e.message),n=e.type===\`conflict\`?await W(location.pathname):void 0;if(n?.ok)return $(k(n.body),K(t));a.textContent=t;for(let t of i)t.disabled=e.type===\`forbidden\`}return L(\`section\`,{"aria-label":\`Decision\`},[L(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),r,L(\`div\`,{class:\`buttons\`},i),a])}q()})();`

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

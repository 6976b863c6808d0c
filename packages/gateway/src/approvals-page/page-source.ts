// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function n(e,t={}){let{leaf:n,uniqueNames:a=!1,isMessage:o=!1,maxValues:s=1/0}=t,c={maxDepth:o?72:64,maxValues:s};return(n===void 0&&!a&&i(e,c)?r(e):void 0)??new re(e,{...c,leaf:n,uniqueNames:a}).read()}function r(e){try{return{value:JSON.parse(e)}}catch{return}}function i(e,{maxDepth:t,maxValues:n}){let r=s(e,\`\\\\\`,0),i=0,o=0;for(let l=0;l<e.length;l+=1){let d=e.charCodeAt(l);if(d===34)l=c(e,l,r);else if(p(d))l=u(e,l);else{let e=a(d);i+=e,(e>0||d===44)&&(o+=1)}if(l===-1||i>t||o>n)return!1;r<l&&(r=s(e,\`\\\\\`,l))}return!0}function a(e){return o(e)?1:e===125||e===93?-1:0}function o(e){return e===123||e===91}function s(e,t,n){let r=e.indexOf(t,n);return r===-1?e.length:r}function c(e,t,n){let r=s(e,\`"\`,t+1);if(n>=r)return r;for(;r<e.length&&l(e,r);)r=s(e,\`"\`,r+1);return e.charCodeAt(d(e,r+1))===58?-1:r}function l(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function u(e,t){let n=t;for(;p(e.charCodeAt(n+1));)n+=1;return n-t>300||ee(e,n+1)?-1:n}function d(e,t){let n=t;for(;f(e.charCodeAt(n));)n+=1;return n}function f(e){return e===32||e===10||e===13||e===9}function p(e){return e>=48&&e<=57}function ee(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let m=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,h=/^[0-9a-fA-F]{4}$/,te=new Map(Object.entries({'"':\`"\`,"\\\\":\`\\\\\`,"/":\`/\`,b:\`\\b\`,f:\`\\f\`,n:\`
\`,r:\`\\r\`,t:\`	\`})),ne=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var g=class extends Error{},re=class{text;options;frames=[];at=0;values=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof g))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(o(e)){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=d(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.countValue(),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);ae(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.countValue(),this.at+=1,n||this.readName(),!1)}countValue(){this.values+=1,this.values>this.options.maxValues&&this.refuse(\`too_many\`)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`);let t=this.frames.at(-1);this.options.uniqueNames&&Object.hasOwn(t.container,e)&&this.refuse(\`syntax\`),this.at+=1,t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||p(e))return this.readNumber(t);let n=ne.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){m.lastIndex=e,m.test(this.text)||this.refuse(\`syntax\`);let t=m.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=\`\`,n=this.at+1;for(this.at=n;;this.at+=1){let r=e.charCodeAt(this.at);if(r===34)break;r===92?(t+=e.slice(n,this.at)+this.readEscape(),n=this.at+1):r>=32||this.refuse(\`syntax\`)}return this.at+=1,t+e.slice(n,this.at-1)}readEscape(){let{text:e,at:t}=this,n=e.charAt(t+1),r=e.slice(t+2,t+6),i=n===\`u\`&&h.test(r),a=i?String.fromCharCode(Number.parseInt(r,16)):te.get(n);return a===void 0?this.refuse(\`syntax\`):(this.at+=i?5:1,a)}refuse(e){throw new g(e)}faultOf(e){let t=this.text.slice(0,this.at).split(/\\r\\n|\\r|\\n/),[n,r]=[t.length,(t.at(-1)?.length??0)+1],i=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:ie[e],a=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${i} (line \${n}, column \${r})\`,path:a,line:n,column:r}}};let ie={syntax:\`there is an unexpected character\`,too_deep:\`it is nested too deep\`,too_many:\`it has too many values\`,not_finite:\`a number is too large\`};function ae({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e||(e[t]=n)}let oe=/[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]/gu;function se(e,t=le){return e.replace(oe,t)}function ce(e){return e.split(/(\\r?\\n|\\t)/).map((e,t)=>t%2==1?e.replace(\`\\r\`,\`\`):se(e)).join(\`\`)}function le(e){return\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`}function _(e){let t=e.split(\`.\`)[1]??\`\`;try{let e=atob(t.replaceAll(\`-\`,\`+\`).replaceAll(\`_\`,\`/\`)),r=Uint8Array.from(e,e=>e.charCodeAt(0));return Object(n(new TextDecoder().decode(r)).value)}catch{return{}}}function v(e,t){if(Object.hasOwn(e,t))return e[t];let n=e;for(let e of t.split(\`.\`)){if(typeof n!=\`object\`||!n||!Object.hasOwn(n,e))return;n=n[e]}return n}function y(e,t){let n=e=>typeof e==typeof t&&!Number.isNaN(e);return{schema:e,is:n,absent:t,read:e=>n(e)?e:t}}let b=y({type:\`string\`},\`\`),x=y({type:\`string\`,format:\`date-time\`},\`\`),ue={...y({type:\`integer\`,minimum:1},1),read:e=>typeof e==\`number\`&&e>1?e:1},de=y({const:!0},!1);function S(...e){return y({type:\`string\`,enum:e},\`\`)}function C(e,t){return{...t,schema:{...t.schema,description:e}}}function fe(e){return{schema:{anyOf:[e.schema,{type:\`null\`}]},is:t=>t===null||e.is(t),absent:null,read:t=>e.is(t)?e.read(t):null}}function w(e){return{schema:{type:\`array\`,items:e.schema},is:Array.isArray,absent:[],read:t=>Array.isArray(t)?t.map(e.read):[]}}let pe={schema:{type:\`object\`},is:E,absent:{},read:D};function T(e,t=[]){let n=Object.entries(e),r=e=>t.includes(e);function i(e){let t=D(e);return Object.fromEntries(n.map(([e,n])=>{let i=Object.hasOwn(t,e)?t[e]:void 0;return[e,r(e)&&!n.is(i)?n.absent:n.read(i)]}))}let a=Object.fromEntries(n.map(([e,{schema:t}])=>[e,t])),o=n.filter(([e])=>!r(e));return{schema:{type:\`object\`,properties:a,required:o.map(([e])=>e)},is:e=>E(e)&&o.every(([t,{is:n}])=>n(D(e)[t])),absent:null,read:i}}function E(e){return typeof e==\`object\`&&!!e&&!Array.isArray(e)}function D(e){return E(e)?e:{}}let me=[\`pending\`,\`approved\`,\`rejected\`,\`used\`,\`expired\`,\`withdrawn\`],he=T({decidedBy:b,decidedByIssuer:b,verdict:S(\`approved\`,\`rejected\`),comment:b,decidedAt:x},[\`decidedByIssuer\`,\`comment\`,\`decidedAt\`]),ge=T({method:b,path:b,inputs:C(\`The inputs by place: path, query, header, body.\`,pe),truncated:C(\`Values were left out because of their size.\`,de)},[\`truncated\`]),O=T({approvalId:b,state:S(...me),operation:b,message:b,approver:T({name:b}),role:C(\`The role that decides; empty if the requester confirms.\`,b),by:C(\`Set if the requester, or the person behind it, confirms.\`,S(\`requester\`)),requester:b,requesterIssuer:b,requestedFor:C(\`The person on whose behalf the requester, an agent, asked.\`,b),requestedForIssuer:b,request:C(\`The request without its secrets; null if an older version kept none.\`,fe(ge)),digest:b,quorum:ue,decisions:w(he),via:C(\`The calls that led to the requester, the first one first.\`,w(b)),correlationId:b,createdAt:x,expiresAt:x,decidedBy:C(\`The decider whose decision was the last one needed.\`,b),decidedByIssuer:b,decidedAt:x},[\`approver\`,\`by\`,\`requesterIssuer\`,\`requestedFor\`,\`requestedForIssuer\`,\`correlationId\`,\`decidedBy\`,\`decidedByIssuer\`,\`decidedAt\`]),_e=T({approvals:w(O),next:C(\`The cursor of the next page; absent on the last one.\`,b)},[\`next\`]);O.schema,_e.schema;let k=O.read;function ve(e,t=\`sub\`){let n=_(e),[r,i]=[v(n,t),n.iss];return{subject:A(r),issuer:A(i)}}function A(e){return typeof e==\`string\`&&e!==\`\`?e:void 0}function j({subject:e,issuer:t},n,r){return e===void 0||e!==n?!1:r===\`\`||t===void 0||t===r}function M({requester:e,requesterIssuer:t},n){return j(n,e,t)}function N({requestedFor:e,requestedForIssuer:t},n){return j(n,e,t)}function P({by:e}){return e===\`requester\`}function F(e,t){let{decisions:n,role:r,requestedFor:i}=e;if(t.subject===void 0)return\`\`;if(n.some(({decidedBy:e,decidedByIssuer:n})=>j(t,e,n)))return\`You have decided it. Others have to decide too.\`;if(P(e))return(i===\`\`?M(e,t):N(e,t))?\`\`:\`Only the person who asked confirms it.\`;let a=r===\`\`?\`Somebody else\`:\`Somebody else with the role \${r}\`;return M(e,t)?\`You are the requester. \${a} decides it.\`:N(e,t)?\`An agent asked for it on your behalf. \${a} decides it.\`:\`\`}function ye({decisions:e}){return e.filter(({verdict:e})=>e===\`approved\`).length}function be(e){let{quorum:t,role:n}=e;if(P(e))return\`A confirmation by the person who asked\`;let r=n===\`\`?\`\`:\` with the role \${n}\`;return t===1?\`One approval by somebody else\${r}\`:\`\${ye(e)} of \${t} approvals by different people\${r}\`}function xe(e){return e===null?\`\`:\`\${e.method} \${e.path}\`.trim()}function I(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?ce(e):e)),r}function L(e){return I(\`dl\`,{},e.filter(e=>e!==void 0).flatMap(([e,t])=>[I(\`dt\`,{},[e]),I(\`dd\`,{},[t])]))}function R(e){if(Array.isArray(e))return e.length===0?\`none\`:I(\`ol\`,{},e.map(e=>I(\`li\`,{},[R(e)])));if(typeof e==\`object\`&&e){let t=Object.entries(e);return t.length===0?\`none\`:L(t.map(([e,t])=>[e,R(t)]))}return I(\`span\`,{class:\`value\`},[typeof e==\`string\`?e:String(e)])}function z(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return e;let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return I(\`time\`,{datetime:e},[n])}let Se=[[\`day\`,86400],[\`hour\`,3600],[\`minute\`,60]];function Ce(e){let t=(new Date(e).getTime()-Date.now())/1e3;if(Number.isNaN(t))return\`\`;let[n,r]=Se.find(([,e])=>Math.abs(t)>=e)??[\`second\`,1];return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(t/r),n)}function we(e){let{operation:t,requester:n,requestedFor:r,via:i,createdAt:a,expiresAt:o}=e;return[I(\`p\`,{class:\`message\`},[e.message]),L([[\`Operation\`,t],[\`Asked by\`,B(n,e.requesterIssuer)],r===\`\`?void 0:[\`On behalf of\`,B(r,e.requestedForIssuer)],i.length===0?void 0:[\`Way\`,Te(e)],a===\`\`?void 0:[\`Asked\`,z(a)],o===\`\`?void 0:[\`Expires\`,Ee(e)],[\`Needed\`,be(e)]]),...De(e),...Oe(e)]}function B(e,t){let n=t===\`\`?[]:[I(\`span\`,{class:\`issuer\`},[\` at \${t}\`])];return I(\`span\`,{},[I(\`span\`,{},[e]),...n])}function Te({via:e,requester:t,operation:n}){return I(\`ol\`,{class:\`way\`},[...e,\`\${t} called \${n}\`].map(e=>I(\`li\`,{},[e])))}function Ee({expiresAt:e,state:t}){let n=t===\`pending\`?\` (\${Ce(e)})\`:\`\`;return I(\`span\`,{},[z(e),n])}function De(e){if(e.decisions.length===0)return[];let t=e.decisions.map(({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i})=>I(\`li\`,{},[I(\`strong\`,{},[B(e,t)]),\` \${n} \`,...i===\`\`?[]:[z(i)],...r===\`\`?[]:[I(\`p\`,{class:\`comment\`},[r])]]));return[I(\`h2\`,{},[\`Decisions\`]),I(\`ul\`,{class:\`decisions\`},t)]}function Oe({request:e,digest:t}){let n=xe(e);return e===null||n===\`\`?[I(\`p\`,{class:\`cut\`},[\`The service does not show the request.\`])]:[I(\`h2\`,{},[\`Request\`]),I(\`p\`,{class:\`line\`},[n]),...e.truncated?[I(\`p\`,{class:\`cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],I(\`div\`,{class:\`inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`},[R(e.inputs)]),...t===\`\`?[]:[I(\`p\`,{class:\`digest\`},[\`Digest \${t}\`])]]}let ke={"X-Agentic-Page":\`approvals\`},V=\`agentic-approvals-tenant\`,H=\`agentic-approvals-reader\`;async function U(t,r={}){let i=sessionStorage.getItem(V)??\`\`,a={...ke,...i!==\`\`&&{[e.tenantId]:i}},o={...r,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...r.headers}};try{let e=await fetch(t,o),{value:r}=n(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(r)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function W(e,t){let n=document.getElementById(\`page\`);n?.dispatchEvent(new Event(\`left\`)),document.title=e,n?.replaceChildren(I(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function G(e){return I(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function K(e){let{status:n,ok:r,body:i}=await U(location.pathname);r?$(k(i)):Y(n===t.unauthenticated?e:Ae(n,i))}function Ae(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:q(n.message)}function q(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function J(e,t,n){let r=I(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[I(\`label\`,{for:e},[t]),r]}}function Y(e){let t=J(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=J(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(V)??\`\`;let r=I(\`form\`,{},[...t.parts,...n.parts,I(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(V,n.input.value.trim()),X(t.input.value.trim())});let i=I(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);W(\`Approval\`,[e===void 0?i:G(e),r]),t.input.focus()}async function X(t){if(t.length>3700)return Y(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await U(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return Y(q(r.message));sessionStorage.setItem(H,JSON.stringify(ve(t))),await K(\`The token was not accepted.\`)}async function je(){await U(\`session\`,{method:\`DELETE\`}),sessionStorage.removeItem(H),Y()}let Z={pending:\`Approval needed\`,approved:\`Approved\`,rejected:\`Rejected\`,used:\`Approved and used\`,expired:\`Expired\`,withdrawn:\`Withdrawn\`};function Q(e){if(e.state!==\`pending\`&&e.state!==\`approved\`)return;let t=new AbortController;document.getElementById(\`page\`)?.addEventListener(\`left\`,()=>t.abort(),{once:!0});let n=setTimeout(async()=>{let{ok:n,body:r}=document.hidden?{ok:!1,body:{}}:await U(location.pathname),i=n?k(r):e;if(t.signal.aborted)return;if(JSON.stringify(i)===JSON.stringify(e))return Q(e);let a=document.querySelector(\`#comment\`)?.value??\`\`;$(i,I(\`p\`,{role:\`status\`},[\`Changed meanwhile: \${Z[i.state]??i.state}.\`]));let o=document.querySelector(\`#comment\`);o!==null&&(o.value=a)},1500);t.signal.addEventListener(\`abort\`,()=>clearTimeout(n))}function $(e,t){let n=I(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void je()),W(Z[e.state]??\`Approval\`,[...t===void 0?[]:[t],...we(e),...e.state===\`approved\`?[I(\`p\`,{},[\`The requester goes on by sending the request again with its approval token.\`])]:[],...e.state===\`pending\`?[Ne(e)]:[],I(\`p\`,{class:\`foot\`},[n])]),Q(e);let r=document.querySelector(\`h1\`);r?.setAttribute(\`tabindex\`,\`-1\`),r?.focus()}function Me(e){return I(\`p\`,{role:\`status\`},[e===\`approve\`?\`You approved it.\`:\`You rejected it.\`])}function Ne(e){let t=F(e,Object(n(sessionStorage.getItem(H)??\`{}\`).value));return t===\`\`?Pe(e):I(\`p\`,{},[t])}function Pe(n){let r=I(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),i=[\`approve\`,\`reject\`].map(e=>{let t=I(\`button\`,{type:\`button\`,class:e},[e===\`approve\`?\`Approve\`:\`Reject\`]);return t.addEventListener(\`click\`,()=>void o(e)),t}),a=I(\`p\`,{role:\`alert\`});async function o(o){for(let e of i)e.disabled=!0;a.textContent=\`\`;let c={...n.digest!==\`\`&&{digest:n.digest},...r.value.trim()!==\`\`&&{comment:r.value.trim()}},{status:l,ok:u,body:d}=await U(\`\${location.pathname}/\${o}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(c)});u?$(k(d),Me(o)):l===t.unauthenticated?Y(\`Your session has ended. Sign in again.\`):await s(d)}async function s(e){let t=q(e.message),n=e.type===\`conflict\`?await U(location.pathname):void 0;if(n?.ok)return $(k(n.body),G(t));a.textContent=t;for(let t of i)t.disabled=e.type===\`forbidden\`}return I(\`section\`,{"aria-label":\`Decision\`},[I(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),r,I(\`div\`,{class:\`buttons\`},i),a])}K()})();`

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

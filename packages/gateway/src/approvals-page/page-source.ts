// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`};function t(e){return typeof e==\`object\`&&!!e&&!Array.isArray(e)}function n(e){return t(e)?e:{}}let r={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function i(e,t={}){let{leaf:n,uniqueNames:r=!1,isMessage:i=!1,maxValues:s=1/0}=t,c={maxDepth:i?72:64,maxValues:s};return(n===void 0&&!r&&o(e,c)?a(e):void 0)??new oe(e,{...c,leaf:n,uniqueNames:r}).read()}function a(e){try{return{value:JSON.parse(e)}}catch{return}}function o(e,{maxDepth:t,maxValues:n}){let r=l(e,\`\\\\\`,0),i=0,a=0;for(let o=0;o<e.length;o+=1){let c=e.charCodeAt(o);if(c===34)o=u(e,o,r);else if(p(c))o=te(e,o);else{let e=s(c);i+=e,(e>0||c===44)&&(a+=1)}if(o===-1||i>t||a>n)return!1;r<o&&(r=l(e,\`\\\\\`,o))}return!0}function s(e){return c(e)?1:e===125||e===93?-1:0}function c(e){return e===123||e===91}function l(e,t,n){let r=e.indexOf(t,n);return r===-1?e.length:r}function u(e,t,n){let r=l(e,\`"\`,t+1);if(n>=r)return r;let i=d(e,r);return e.charCodeAt(f(e,i+1))===58?-1:i}function d(e,t){let n=l(e,\`"\`,t);for(;n<e.length&&ee(e,n);)n=l(e,\`"\`,n+1);return n}function ee(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function te(e,t){let n=t;for(;p(e.charCodeAt(n+1));)n+=1;return n-t>300||re(e,n+1)?-1:n}function f(e,t){let n=t;for(;ne(e.charCodeAt(n));)n+=1;return n}function ne(e){return e===32||e===10||e===13||e===9}function p(e){return e>=48&&e<=57}function re(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let m=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,ie=/^\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})/,ae=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var h=class extends Error{},oe=class{text;options;frames=[];at=0;values=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof h))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(c(e)){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=f(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.countValue(),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);ue(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.countValue(),this.at+=1,n||this.readName(),!1)}countValue(){this.values+=1,this.values>this.options.maxValues&&this.refuse(\`too_many\`)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`);let t=this.frames.at(-1);this.options.uniqueNames&&Object.hasOwn(t.container,e)&&this.refuse(\`repeated\`),this.at+=1,t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||p(e))return this.readNumber(t);let n=ae.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){m.lastIndex=e,m.test(this.text)||this.refuse(\`syntax\`);let t=m.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=this.at;for(this.at+=1;;this.at+=1){let n=e.charCodeAt(this.at);if(n===34)break;if(n===92)return this.readEscaped(t);n>=32||this.refuse(\`syntax\`)}return this.at+=1,e.slice(t+1,this.at-1)}readEscaped(e){let{text:t}=this,n=d(t,this.at),r=a(t.slice(e,n+1));return this.at=r===void 0?se(t,this.at):n+1,r===void 0?this.refuse(\`syntax\`):r.value}refuse(e){throw new h(e)}faultOf(e){let{line:t,column:n}=ce(this.text,this.at),r=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:le[e],i=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${r} (line \${t}, column \${n})\`,path:i,line:t,column:n}}};function se(e,t){for(let n=t;;n+=1){let t=e.charCodeAt(n);if(t===92){let[t]=ie.exec(e.slice(n,n+6))??[];if(t===void 0)return n;n+=t.length-1}else if(!(t>=32))return n}}function ce(e,t){let n=1,r=0;for(let i=0;i<t;i+=1){let t=e.charCodeAt(i);(t===10||t===13&&e.charCodeAt(i+1)!==10)&&(n+=1,r=i+1)}return{line:n,column:t-r+1}}let le={syntax:\`there is an unexpected character\`,repeated:\`a name comes twice in an object\`,too_deep:\`it is nested too deep\`,too_many:\`it has too many values\`,not_finite:\`a number is too large\`};function ue({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e?Object.defineProperty(e,t,{value:n,writable:!0,enumerable:!0,configurable:!0}):e[t]=n}let de=/(?! )[\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2d7f\\u{1107f}\\u{16fe4}\\u2800\\ufffc\\u{13441}\\u{13442}\\u{1d159}]/gu;function fe(e,t=pe){return e.replace(de,t)}function g(e){return e.split(/(\\r?\\n|\\t)/).map((e,t)=>t%2==1?e.replace(\`\\r\`,\`\`):fe(e)).join(\`\`)}function pe(e){return\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`}function me(e){let t=e.split(\`.\`)[1]??\`\`;try{let e=atob(t.replaceAll(\`-\`,\`+\`).replaceAll(\`_\`,\`/\`)),n=Uint8Array.from(e,e=>e.charCodeAt(0));return Object(i(new TextDecoder().decode(n)).value)}catch{return{}}}function he(e,t){if(Object.hasOwn(e,t))return e[t];let n=e;for(let e of t.split(\`.\`)){if(typeof n!=\`object\`||!n||!Object.hasOwn(n,e))return;n=n[e]}return n}function _(e,t){let n=e=>typeof e==typeof t&&!Number.isNaN(e);return{schema:e,is:n,absent:t,read:e=>n(e)?e:t}}let v=_({type:\`string\`},\`\`),y=_({type:\`string\`,format:\`date-time\`},\`\`),ge={..._({type:\`integer\`,minimum:1},1),read:e=>typeof e==\`number\`&&e>1?e:1},_e=_({const:!0},!1);function b(...e){return _({type:\`string\`,enum:e},\`\`)}function x(e,t){return{...t,schema:{...t.schema,description:e}}}function ve(e){return{schema:{anyOf:[e.schema,{type:\`null\`}]},is:t=>t===null||e.is(t),absent:null,read:t=>e.is(t)?e.read(t):null}}function S(e){return{schema:{type:\`array\`,items:e.schema},is:Array.isArray,absent:[],read:t=>Array.isArray(t)?t.map(e.read):[]}}let ye={schema:{type:\`object\`},is:t,absent:{},read:n};function C(e,r=[]){let i=Object.entries(e),a=e=>r.includes(e);function o(e){let t=n(e);return Object.fromEntries(i.map(([e,n])=>{let r=Object.hasOwn(t,e)?t[e]:void 0;return[e,a(e)&&!n.is(r)?n.absent:n.read(r)]}))}let s=Object.fromEntries(i.map(([e,{schema:t}])=>[e,t])),c=i.filter(([e])=>!a(e));return{schema:{type:\`object\`,properties:s,required:c.map(([e])=>e)},is:e=>t(e)&&c.every(([t,{is:r}])=>r(n(e)[t])),absent:null,read:o}}let be=[\`pending\`,\`approved\`,\`rejected\`,\`used\`,\`expired\`,\`withdrawn\`],xe=C({decidedBy:v,decidedByIssuer:v,verdict:b(\`approved\`,\`rejected\`),comment:v,decidedAt:y},[\`decidedByIssuer\`,\`comment\`,\`decidedAt\`]),w={method:v,path:v,inputs:x(\`The inputs by place: path, query, header, body.\`,ye),truncated:x(\`Values were left out because of their size.\`,_e)},Se={...C(w,[\`truncated\`]),is:C(w,[\`inputs\`,\`truncated\`]).is},T=C({approvalId:v,state:b(...be),operation:v,message:v,approver:C({name:v}),role:x(\`The role that decides; empty if the requester confirms.\`,v),by:x(\`Set if the requester, or the person behind it, confirms.\`,b(\`requester\`)),requester:v,requesterIssuer:v,requestedFor:x(\`The person on whose behalf the requester, an agent, asked.\`,v),requestedForIssuer:v,request:x(\`The request without its secrets; null if an older version kept none.\`,ve(Se)),digest:v,quorum:ge,decisions:S(xe),via:x(\`The calls that led to the requester, the first one first.\`,S(v)),correlationId:v,createdAt:y,expiresAt:y,decidedBy:x(\`The decider whose decision was the last one needed.\`,v),decidedByIssuer:v,decidedAt:y},[\`approver\`,\`by\`,\`requesterIssuer\`,\`requestedFor\`,\`requestedForIssuer\`,\`correlationId\`,\`decidedBy\`,\`decidedByIssuer\`,\`decidedAt\`]),Ce=C({approvals:S(T),next:x(\`The cursor of the next page; absent on the last one.\`,v)},[\`next\`]);T.schema,Ce.schema;let E=T.read;function we(e,t=\`sub\`){let n=me(e),[r,i]=[he(n,t),n.iss];return{subject:D(r),issuer:D(i)}}function D(e){return typeof e==\`string\`&&e!==\`\`?e:void 0}function O({subject:e,issuer:t},n,r){return e===void 0||e!==n?!1:r===\`\`||t===void 0||t===r}function k({requester:e,requesterIssuer:t},n){return O(n,e,t)}function A({requestedFor:e,requestedForIssuer:t},n){return O(n,e,t)}function j({by:e}){return e===\`requester\`}function Te(e,t){let{decisions:n,role:r,requestedFor:i}=e;if(t.subject===void 0)return\`\`;if(n.some(({decidedBy:e,decidedByIssuer:n})=>O(t,e,n)))return\`You have decided it. Others have to decide too.\`;if(j(e))return(i===\`\`?k(e,t):A(e,t))?\`\`:\`Only the person who asked confirms it.\`;let a=r===\`\`?\`Somebody else\`:\`Somebody else with the role \${r}\`;return k(e,t)?\`You are the requester. \${a} decides it.\`:A(e,t)?\`An agent asked for it on your behalf. \${a} decides it.\`:\`\`}function M({state:e,expiresAt:t},n){return e===\`pending\`&&Date.parse(t)<=n?\`expired\`:e}function Ee({state:e,decisions:t}){return[\`approved\`,\`used\`,\`rejected\`].includes(e)&&t.at(-1)?.decidedAt||\`\`}function De(e){return e===\`pending\`||e===\`approved\`}let N=6e4,P=60*N,F=24*P;function Oe(e,t){let n=Date.parse(e.expiresAt)-t;if(M(e,t)!==\`pending\`||Number.isNaN(n))return\`\`;if(n>=F)return\`\${Math.floor(n/F)} d left\`;if(n>=P)return\`\${Math.floor(n/P)} h \${Math.floor(n%P/N)} min left\`;let r=Math.floor(n%N/1e3);return n>=N?\`\${Math.floor(n/N)} min \${r} s left\`:\`\${r} s left\`}function ke({decisions:e}){return e.filter(({verdict:e})=>e===\`approved\`).length}function Ae(e){let{quorum:t,role:n}=e;if(j(e))return\`A confirmation by the person who asked\`;let r=n===\`\`?\`\`:\` with the role \${n}\`;return t===1?\`One approval by somebody else\${r}\`:\`\${ke(e)} of \${t} approvals by different people\${r}\`}function je(e){return e===null?\`\`:\`\${e.method} \${e.path}\`.trim()}let I=[\`path\`,\`query\`,\`header\`,\`body\`];function Me({inputs:e}){return Object.entries(e).filter(([,e])=>!Ne(e)).toSorted(([e],[t])=>I.indexOf(e)-I.indexOf(t))}function Ne(e){return e==null||typeof e==\`object\`&&!Array.isArray(e)&&Object.keys(e).length===0}function Pe({digest:e},t=\`\`){let n=t.trim();return{...e!==\`\`&&{digest:e},...n!==\`\`&&{comment:n}}}let L={pending:{title:\`Approval needed\`,words:\`waits for a decision\`},approved:{title:\`Approved\`,words:\`approved, not used yet\`},used:{title:\`Approved and used\`,words:\`approved and used\`},rejected:{title:\`Rejected\`,words:\`rejected\`},expired:{title:\`Expired\`,words:\`expired\`},withdrawn:{title:\`Withdrawn\`,words:\`withdrawn\`}};function R(e){return Object.hasOwn(L,e)?L[e]:{title:\`Approval\`,words:e||\`unknown\`}}function Fe(e,t){return t===\`approve\`?j(e)?\`Confirm\`:\`Approve\`:t===\`reject\`?\`Reject\`:\`Withdraw\`}let Ie={approve:\`You approved it.\`,reject:\`You rejected it.\`,withdraw:\`You withdrew it.\`},z={cut:\`Some values are too large to be shown. The decision is about them too.\`,noInputs:\`The request has no inputs.\`,notShown:\`The service does not show the request.\`};var Le=class{#e;#t;constructor({make:e,level:t}){this.#e=e,this.#t=t}list(e){let t=e.flatMap(([e,t])=>[this.#s(\`dt\`,e),this.#s(\`dd\`,t)]);return this.#e(\`dl\`,{class:\`facts\`},t)}facts(e,t){let{operation:n,requester:r,requestedFor:i,via:a,createdAt:o,expiresAt:s,digest:c}=e,l=Oe(e,t),u=Ee(e);return[[\`Operation\`,n],[\`Asked by\`,this.#r(r,e.requesterIssuer)],i===\`\`?void 0:[\`On behalf of\`,this.#r(i,e.requestedForIssuer)],a.length===0?void 0:[\`Way\`,this.#i(e)],o===\`\`?void 0:[\`Asked\`,this.#a(o)],s===\`\`?void 0:[\`Expires\`,this.#s(\`span\`,this.#a(s),l===\`\`?\`\`:\` · \${l}\`)],[\`Needed\`,Ae(e)],u===\`\`?void 0:[\`Decided at\`,this.#a(u)],c===\`\`?void 0:[\`Digest\`,this.#e(\`span\`,{class:\`approval-digest\`},[c])]].filter(e=>e!==void 0)}request({request:e}){let t=je(e);if(e===null||t===\`\`)return this.#e(\`p\`,{class:\`approval-cut\`},[z.notShown]);let n=Me(e).flatMap(([e,t])=>[this.#o(1,\`In the \${g(e)}\`),this.value(t)]),r={class:\`approval-inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`};return this.#e(\`section\`,{"aria-label":\`Request\`},[this.#o(0,\`Request\`),this.#e(\`p\`,{class:\`approval-line\`},[g(t)]),...e.truncated?[this.#e(\`p\`,{class:\`approval-cut\`},[z.cut])]:[],...n.length>0?[this.#e(\`div\`,r,n)]:[],...n.length>0||e.truncated?[]:[this.#s(\`p\`,z.noInputs)]])}decisions({decisions:e}){if(e.length===0)return[];let t=e.map(e=>this.#n(e));return[this.#e(\`section\`,{"aria-label":\`Decisions\`},[this.#o(0,\`Decisions\`),this.#e(\`ul\`,{class:\`approval-decisions\`},t)])]}value(e,t=0){if(typeof e!=\`object\`||!e)return this.#e(\`span\`,{class:\`approval-value\`},[g(String(e))]);let n=Object.entries(e);if(n.length===0)return this.#s(\`span\`,Array.isArray(e)?\`an empty list\`:\`empty\`);if(t>=4)return this.#e(\`code\`,{class:\`approval-value\`},[g(JSON.stringify(e))]);if(!Array.isArray(e))return this.list(n.map(([e,n])=>[e,this.value(n,t+1)]));let r=e.map(e=>this.#s(\`li\`,this.value(e,t+1)));return this.#e(\`ol\`,{class:\`approval-values\`},r)}#n({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i}){let a=r===\`\`?[]:[this.#e(\`p\`,{class:\`approval-comment\`},[g(r)])],o=this.#s(\`strong\`,this.#r(e,t));return this.#s(\`li\`,o,\` \${n} \`,...i===\`\`?[]:[this.#a(i)],...a)}#r(e,t){let n=t===\`\`?[]:[this.#e(\`span\`,{class:\`approval-issuer\`},[g(\` at \${t}\`)])];return this.#s(\`span\`,this.#s(\`span\`,e),...n)}#i({via:e,requester:t,operation:n}){let r=[...e,\`\${t} called \${n}\`];return this.#e(\`ol\`,{class:\`approval-way\`},r.map(e=>this.#s(\`li\`,e)))}#a(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return g(e);let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return this.#e(\`time\`,{datetime:e},[n.replaceAll(/\\p{Zs}/gu,\` \`)])}#o(e,t){return this.#e(\`h\${this.#t+e}\`,{},[t])}#s(e,...t){let n=t.map(e=>typeof e==\`string\`?g(e):e);return this.#e(e,{},n)}};function B(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?g(e):e)),r}let Re={"X-Agentic-Page":\`approvals\`},V=\`agentic-approvals-tenant\`,H=\`agentic-approvals-reader\`,U=new Le({make:(e,t,n)=>B(e,t,n),level:2});async function W(t,n={}){let r=sessionStorage.getItem(V)??\`\`,a={...Re,...r!==\`\`&&{[e.tenantId]:r}},o={...n,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...n.headers}};try{let e=await fetch(t,o),{value:n}=i(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(n)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function G(e,t){let n=document.getElementById(\`page\`);n?.dispatchEvent(new Event(\`left\`)),document.title=e,n?.replaceChildren(B(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function K(e){return B(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function q(e){let{status:t,ok:n,body:i}=await W(location.pathname);n?$(E(i)):X(t===r.unauthenticated?e:ze(t,i))}function ze(e,t){return e===r.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:J(t.message)}function J(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function Y(e,t,n){let r=B(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[B(\`label\`,{for:e},[t]),r]}}function X(e){let t=Y(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=Y(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(V)??\`\`;let r=B(\`form\`,{},[...t.parts,...n.parts,B(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(V,n.input.value.trim()),Be(t.input.value.trim())});let i=B(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);G(\`Approval\`,[e===void 0?i:K(e),r]),t.input.focus()}let Z=\`The token was not accepted.\`;async function Be(t){let{ok:n,status:i,body:a}=await W(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return X(i===r.unauthenticated?Z:J(a.message));sessionStorage.setItem(H,JSON.stringify(we(t))),await q(Z)}async function Ve(){await W(\`session\`,{method:\`DELETE\`}),sessionStorage.removeItem(H),X()}function Q(e){if(!De(e.state))return;let t=new AbortController;document.getElementById(\`page\`)?.addEventListener(\`left\`,()=>t.abort(),{once:!0});let n=setTimeout(async()=>{let{ok:n,body:r}=document.hidden?{ok:!1,body:{}}:await W(location.pathname),i=n?E(r):e;if(t.signal.aborted)return;if(JSON.stringify(i)===JSON.stringify(e))return Q(e);let a=document.querySelector(\`#comment\`)?.value??\`\`;$(i,B(\`p\`,{role:\`status\`},[\`Changed meanwhile: \${R(i.state).title}.\`]));let o=document.querySelector(\`#comment\`);o!==null&&(o.value=a)},1500);t.signal.addEventListener(\`abort\`,()=>clearTimeout(n))}function $(e,t){let n=B(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void Ve());let r=M(e,Date.now());G(R(r).title,[...t===void 0?[]:[t],B(\`p\`,{class:\`message\`},[e.message]),U.list(U.facts(e,Date.now())),...U.decisions(e),U.request(e),...r===\`approved\`?[B(\`p\`,{},[\`The requester goes on by sending the request again with its approval token.\`])]:[],...r===\`pending\`?[He(e)]:[],B(\`p\`,{class:\`foot\`},[n])]),Q(e);let i=document.querySelector(\`h1\`);i?.setAttribute(\`tabindex\`,\`-1\`),i?.focus()}function He(e){let t=Te(e,Object(i(sessionStorage.getItem(H)??\`{}\`).value));return t===\`\`?Ue(e):B(\`p\`,{},[t])}function Ue(t){let n=B(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),i=[\`approve\`,\`reject\`].map(e=>{let n=B(\`button\`,{type:\`button\`,class:e},[Fe(t,e)]);return n.addEventListener(\`click\`,()=>void o(e)),n}),a=B(\`p\`,{role:\`alert\`});async function o(o){for(let e of i)e.disabled=!0;a.textContent=\`\`;let{status:c,ok:l,body:u}=await W(\`\${location.pathname}/\${o}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(Pe(t,n.value))});l?$(E(u),B(\`p\`,{role:\`status\`},[Ie[o]])):c===r.unauthenticated?X(\`Your session has ended. Sign in again.\`):await s(u)}async function s(e){let t=J(e.message),n=e.type===\`conflict\`?await W(location.pathname):void 0;if(n?.ok)return $(E(n.body),K(t));a.textContent=t;for(let t of i)t.disabled=e.type===\`forbidden\`}return B(\`section\`,{"aria-label":\`Decision\`},[B(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),n,B(\`div\`,{class:\`buttons\`},i),a])}q()})();`

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
.approval-way {
  list-style: none;
  padding: 0;
  display: flex;
  flex-wrap: wrap;
  gap: 0.35rem;
}
.approval-way li + li::before {
  content: "\\2192\\00a0";
  color: var(--quiet);
}
.approval-decisions {
  list-style: none;
  padding: 0;
}
.approval-comment,
.approval-value {
  white-space: pre-wrap;
}
.approval-comment {
  border-left: 3px solid var(--line);
  padding-left: 0.75rem;
}
.approval-line,
.approval-inputs,
.approval-digest {
  font-family: ui-monospace, monospace;
  font-size: 0.9rem;
}
.approval-inputs {
  border: 1px solid var(--line);
  border-radius: 0.375rem;
  padding: 0 0.75rem;
  max-height: 60vh;
  overflow: auto;
}
.approval-cut {
  color: var(--bad);
}
.approval-issuer {
  color: var(--quiet);
  font-weight: 400;
}
.approval-digest {
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

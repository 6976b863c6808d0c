// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`},t={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function n(e,t={}){let{leaf:n,uniqueNames:a=!1,isMessage:o=!1,maxValues:s=1/0}=t,c={maxDepth:o?72:64,maxValues:s};return(n===void 0&&!a&&i(e,c)?r(e):void 0)??new ae(e,{...c,leaf:n,uniqueNames:a}).read()}function r(e){try{return{value:JSON.parse(e)}}catch{return}}function i(e,{maxDepth:t,maxValues:n}){let r=s(e,\`\\\\\`,0),i=0,o=0;for(let l=0;l<e.length;l+=1){let d=e.charCodeAt(l);if(d===34)l=c(e,l,r);else if(f(d))l=u(e,l);else{let e=a(d);i+=e,(e>0||d===44)&&(o+=1)}if(l===-1||i>t||o>n)return!1;r<l&&(r=s(e,\`\\\\\`,l))}return!0}function a(e){return o(e)?1:e===125||e===93?-1:0}function o(e){return e===123||e===91}function s(e,t,n){let r=e.indexOf(t,n);return r===-1?e.length:r}function c(e,t,n){let r=s(e,\`"\`,t+1);if(n>=r)return r;for(;r<e.length&&l(e,r);)r=s(e,\`"\`,r+1);return e.charCodeAt(d(e,r+1))===58?-1:r}function l(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function u(e,t){let n=t;for(;f(e.charCodeAt(n+1));)n+=1;return n-t>300||te(e,n+1)?-1:n}function d(e,t){let n=t;for(;ee(e.charCodeAt(n));)n+=1;return n}function ee(e){return e===32||e===10||e===13||e===9}function f(e){return e>=48&&e<=57}function te(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let p=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,ne=/^[0-9a-fA-F]{4}$/,re=new Map(Object.entries({'"':\`"\`,"\\\\":\`\\\\\`,"/":\`/\`,b:\`\\b\`,f:\`\\f\`,n:\`
\`,r:\`\\r\`,t:\`	\`})),ie=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var m=class extends Error{},ae=class{text;options;frames=[];at=0;values=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof m))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(o(e)){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=d(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.countValue(),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);se(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.countValue(),this.at+=1,n||this.readName(),!1)}countValue(){this.values+=1,this.values>this.options.maxValues&&this.refuse(\`too_many\`)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`);let t=this.frames.at(-1);this.options.uniqueNames&&Object.hasOwn(t.container,e)&&this.refuse(\`syntax\`),this.at+=1,t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||f(e))return this.readNumber(t);let n=ie.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){p.lastIndex=e,p.test(this.text)||this.refuse(\`syntax\`);let t=p.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=\`\`,n=this.at+1;for(this.at=n;;this.at+=1){let r=e.charCodeAt(this.at);if(r===34)break;r===92?(t+=e.slice(n,this.at)+this.readEscape(),n=this.at+1):r>=32||this.refuse(\`syntax\`)}return this.at+=1,t+e.slice(n,this.at-1)}readEscape(){let{text:e,at:t}=this,n=e.charAt(t+1),r=e.slice(t+2,t+6),i=n===\`u\`&&ne.test(r),a=i?String.fromCharCode(Number.parseInt(r,16)):re.get(n);return a===void 0?this.refuse(\`syntax\`):(this.at+=i?5:1,a)}refuse(e){throw new m(e)}faultOf(e){let t=this.text.slice(0,this.at).split(/\\r\\n|\\r|\\n/),[n,r]=[t.length,(t.at(-1)?.length??0)+1],i=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:oe[e],a=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${i} (line \${n}, column \${r})\`,path:a,line:n,column:r}}};let oe={syntax:\`there is an unexpected character\`,too_deep:\`it is nested too deep\`,too_many:\`it has too many values\`,not_finite:\`a number is too large\`};function se({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e||(e[t]=n)}let ce=/[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]/gu;function le(e,t=ue){return e.replace(ce,t)}function h(e){return e.split(/(\\r?\\n|\\t)/).map((e,t)=>t%2==1?e.replace(\`\\r\`,\`\`):le(e)).join(\`\`)}function ue(e){return\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`}function de(e){let t=e.split(\`.\`)[1]??\`\`;try{let e=atob(t.replaceAll(\`-\`,\`+\`).replaceAll(\`_\`,\`/\`)),r=Uint8Array.from(e,e=>e.charCodeAt(0));return Object(n(new TextDecoder().decode(r)).value)}catch{return{}}}function fe(e,t){if(Object.hasOwn(e,t))return e[t];let n=e;for(let e of t.split(\`.\`)){if(typeof n!=\`object\`||!n||!Object.hasOwn(n,e))return;n=n[e]}return n}function g(e,t){let n=e=>typeof e==typeof t&&!Number.isNaN(e);return{schema:e,is:n,absent:t,read:e=>n(e)?e:t}}let _=g({type:\`string\`},\`\`),v=g({type:\`string\`,format:\`date-time\`},\`\`),pe={...g({type:\`integer\`,minimum:1},1),read:e=>typeof e==\`number\`&&e>1?e:1},me=g({const:!0},!1);function y(...e){return g({type:\`string\`,enum:e},\`\`)}function b(e,t){return{...t,schema:{...t.schema,description:e}}}function he(e){return{schema:{anyOf:[e.schema,{type:\`null\`}]},is:t=>t===null||e.is(t),absent:null,read:t=>e.is(t)?e.read(t):null}}function x(e){return{schema:{type:\`array\`,items:e.schema},is:Array.isArray,absent:[],read:t=>Array.isArray(t)?t.map(e.read):[]}}let ge={schema:{type:\`object\`},is:C,absent:{},read:w};function S(e,t=[]){let n=Object.entries(e),r=e=>t.includes(e);function i(e){let t=w(e);return Object.fromEntries(n.map(([e,n])=>{let i=Object.hasOwn(t,e)?t[e]:void 0;return[e,r(e)&&!n.is(i)?n.absent:n.read(i)]}))}let a=Object.fromEntries(n.map(([e,{schema:t}])=>[e,t])),o=n.filter(([e])=>!r(e));return{schema:{type:\`object\`,properties:a,required:o.map(([e])=>e)},is:e=>C(e)&&o.every(([t,{is:n}])=>n(w(e)[t])),absent:null,read:i}}function C(e){return typeof e==\`object\`&&!!e&&!Array.isArray(e)}function w(e){return C(e)?e:{}}let _e=[\`pending\`,\`approved\`,\`rejected\`,\`used\`,\`expired\`,\`withdrawn\`],ve=S({decidedBy:_,decidedByIssuer:_,verdict:y(\`approved\`,\`rejected\`),comment:_,decidedAt:v},[\`decidedByIssuer\`,\`comment\`,\`decidedAt\`]),ye=S({method:_,path:_,inputs:b(\`The inputs by place: path, query, header, body.\`,ge),truncated:b(\`Values were left out because of their size.\`,me)},[\`truncated\`]),T=S({approvalId:_,state:y(..._e),operation:_,message:_,approver:S({name:_}),role:b(\`The role that decides; empty if the requester confirms.\`,_),by:b(\`Set if the requester, or the person behind it, confirms.\`,y(\`requester\`)),requester:_,requesterIssuer:_,requestedFor:b(\`The person on whose behalf the requester, an agent, asked.\`,_),requestedForIssuer:_,request:b(\`The request without its secrets; null if an older version kept none.\`,he(ye)),digest:_,quorum:pe,decisions:x(ve),via:b(\`The calls that led to the requester, the first one first.\`,x(_)),correlationId:_,createdAt:v,expiresAt:v,decidedBy:b(\`The decider whose decision was the last one needed.\`,_),decidedByIssuer:_,decidedAt:v},[\`approver\`,\`by\`,\`requesterIssuer\`,\`requestedFor\`,\`requestedForIssuer\`,\`correlationId\`,\`decidedBy\`,\`decidedByIssuer\`,\`decidedAt\`]),be=S({approvals:x(T),next:b(\`The cursor of the next page; absent on the last one.\`,_)},[\`next\`]);T.schema,be.schema;let E=T.read;function xe(e,t=\`sub\`){let n=de(e),[r,i]=[fe(n,t),n.iss];return{subject:D(r),issuer:D(i)}}function D(e){return typeof e==\`string\`&&e!==\`\`?e:void 0}function O({subject:e,issuer:t},n,r){return e===void 0||e!==n?!1:r===\`\`||t===void 0||t===r}function k({requester:e,requesterIssuer:t},n){return O(n,e,t)}function A({requestedFor:e,requestedForIssuer:t},n){return O(n,e,t)}function j({by:e}){return e===\`requester\`}function M(e,t){let{decisions:n,role:r,requestedFor:i}=e;if(t.subject===void 0)return\`\`;if(n.some(({decidedBy:e,decidedByIssuer:n})=>O(t,e,n)))return\`You have decided it. Others have to decide too.\`;if(j(e))return(i===\`\`?k(e,t):A(e,t))?\`\`:\`Only the person who asked confirms it.\`;let a=r===\`\`?\`Somebody else\`:\`Somebody else with the role \${r}\`;return k(e,t)?\`You are the requester. \${a} decides it.\`:A(e,t)?\`An agent asked for it on your behalf. \${a} decides it.\`:\`\`}function N({state:e,expiresAt:t},n){return e===\`pending\`&&Date.parse(t)<=n?\`expired\`:e}function Se({state:e,decisions:t}){return[\`approved\`,\`used\`,\`rejected\`].includes(e)&&t.at(-1)?.decidedAt||\`\`}function Ce(e){return e===\`pending\`||e===\`approved\`}let P=6e4,F=60*P,I=24*F;function we(e,t){let n=Date.parse(e.expiresAt)-t;if(N(e,t)!==\`pending\`||Number.isNaN(n))return\`\`;if(n>=I)return\`\${Math.floor(n/I)} d left\`;if(n>=F)return\`\${Math.floor(n/F)} h \${Math.floor(n%F/P)} min left\`;let r=Math.floor(n%P/1e3);return n>=P?\`\${Math.floor(n/P)} min \${r} s left\`:\`\${r} s left\`}function Te({decisions:e}){return e.filter(({verdict:e})=>e===\`approved\`).length}function Ee(e){let{quorum:t,role:n}=e;if(j(e))return\`A confirmation by the person who asked\`;let r=n===\`\`?\`\`:\` with the role \${n}\`;return t===1?\`One approval by somebody else\${r}\`:\`\${Te(e)} of \${t} approvals by different people\${r}\`}function De(e){return e===null?\`\`:\`\${e.method} \${e.path}\`.trim()}let L=[\`path\`,\`query\`,\`header\`,\`body\`];function Oe({inputs:e}){return Object.entries(e).filter(([,e])=>!ke(e)).toSorted(([e],[t])=>L.indexOf(e)-L.indexOf(t))}function ke(e){return e==null||typeof e==\`object\`&&!Array.isArray(e)&&Object.keys(e).length===0}function Ae({digest:e},t=\`\`){let n=t.trim();return{...e!==\`\`&&{digest:e},...n!==\`\`&&{comment:n}}}let R={pending:{title:\`Approval needed\`,words:\`waits for a decision\`},approved:{title:\`Approved\`,words:\`approved, not used yet\`},used:{title:\`Approved and used\`,words:\`approved and used\`},rejected:{title:\`Rejected\`,words:\`rejected\`},expired:{title:\`Expired\`,words:\`expired\`},withdrawn:{title:\`Withdrawn\`,words:\`withdrawn\`}};function z(e){return Object.hasOwn(R,e)?R[e]:{title:\`Approval\`,words:e||\`unknown\`}}function je(e,t){return t===\`approve\`?j(e)?\`Confirm\`:\`Approve\`:t===\`reject\`?\`Reject\`:\`Withdraw\`}let Me={approve:\`You approved it.\`,reject:\`You rejected it.\`,withdraw:\`You withdrew it.\`};var Ne=class{#e;#t;constructor({make:e,level:t}){this.#e=e,this.#t=t}list(e){let t=e.flatMap(([e,t])=>[this.#s(\`dt\`,e),this.#s(\`dd\`,t)]);return this.#e(\`dl\`,{class:\`facts\`},t)}facts(e,t){let{operation:n,requester:r,requestedFor:i,via:a,createdAt:o,expiresAt:s,digest:c}=e,l=we(e,t),u=Se(e);return[[\`Operation\`,n],[\`Asked by\`,this.#r(r,e.requesterIssuer)],i===\`\`?void 0:[\`On behalf of\`,this.#r(i,e.requestedForIssuer)],a.length===0?void 0:[\`Way\`,this.#i(e)],o===\`\`?void 0:[\`Asked\`,this.#a(o)],s===\`\`?void 0:[\`Expires\`,this.#s(\`span\`,this.#a(s),l===\`\`?\`\`:\` · \${l}\`)],[\`Needed\`,Ee(e)],u===\`\`?void 0:[\`Decided at\`,this.#a(u)],c===\`\`?void 0:[\`Digest\`,this.#e(\`span\`,{class:\`approval-digest\`},[c])]].filter(e=>e!==void 0)}request({request:e}){let t=De(e);if(e===null||t===\`\`)return this.#e(\`p\`,{class:\`approval-cut\`},[\`The service does not show the request.\`]);let n=Oe(e).flatMap(([e,t])=>[this.#o(1,\`In the \${h(e)}\`),this.value(t)]),r={class:\`approval-inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`};return this.#e(\`section\`,{"aria-label":\`Request\`},[this.#o(0,\`Request\`),this.#e(\`p\`,{class:\`approval-line\`},[h(t)]),...e.truncated?[this.#e(\`p\`,{class:\`approval-cut\`},[\`Some values are too large to be shown. The decision is about them too.\`])]:[],...n.length===0?[]:[this.#e(\`div\`,r,n)]])}decisions({decisions:e}){if(e.length===0)return[];let t=e.map(e=>this.#n(e));return[this.#e(\`section\`,{"aria-label":\`Decisions\`},[this.#o(0,\`Decisions\`),this.#e(\`ul\`,{class:\`approval-decisions\`},t)])]}value(e,t=0){if(typeof e!=\`object\`||!e)return this.#e(\`span\`,{class:\`approval-value\`},[h(String(e))]);let n=Object.entries(e);if(n.length===0)return this.#s(\`span\`,Array.isArray(e)?\`an empty list\`:\`empty\`);if(t>=4)return this.#e(\`code\`,{class:\`approval-value\`},[h(JSON.stringify(e))]);if(!Array.isArray(e))return this.list(n.map(([e,n])=>[e,this.value(n,t+1)]));let r=e.map(e=>this.#s(\`li\`,this.value(e,t+1)));return this.#e(\`ol\`,{class:\`approval-values\`},r)}#n({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i}){let a=r===\`\`?[]:[this.#e(\`p\`,{class:\`approval-comment\`},[h(r)])],o=this.#s(\`strong\`,this.#r(e,t));return this.#s(\`li\`,o,\` \${n} \`,...i===\`\`?[]:[this.#a(i)],...a)}#r(e,t){let n=t===\`\`?[]:[this.#e(\`span\`,{class:\`approval-issuer\`},[h(\` at \${t}\`)])];return this.#s(\`span\`,this.#s(\`span\`,e),...n)}#i({via:e,requester:t,operation:n}){let r=[...e,\`\${t} called \${n}\`];return this.#e(\`ol\`,{class:\`approval-way\`},r.map(e=>this.#s(\`li\`,e)))}#a(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return h(e);let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return this.#e(\`time\`,{datetime:e},[n])}#o(e,t){return this.#e(\`h\${this.#t+e}\`,{},[t])}#s(e,...t){let n=t.map(e=>typeof e==\`string\`?h(e):e);return this.#e(e,{},n)}};function B(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?h(e):e)),r}let Pe={"X-Agentic-Page":\`approvals\`},V=\`agentic-approvals-tenant\`,H=\`agentic-approvals-reader\`,U=new Ne({make:(e,t,n)=>B(e,t,n),level:2});async function W(t,r={}){let i=sessionStorage.getItem(V)??\`\`,a={...Pe,...i!==\`\`&&{[e.tenantId]:i}},o={...r,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...r.headers}};try{let e=await fetch(t,o),{value:r}=n(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(r)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function G(e,t){let n=document.getElementById(\`page\`);n?.dispatchEvent(new Event(\`left\`)),document.title=e,n?.replaceChildren(B(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function K(e){return B(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function q(e){let{status:n,ok:r,body:i}=await W(location.pathname);r?$(E(i)):X(n===t.unauthenticated?e:Fe(n,i))}function Fe(e,n){return e===t.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:J(n.message)}function J(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function Y(e,t,n){let r=B(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[B(\`label\`,{for:e},[t]),r]}}function X(e){let t=Y(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=Y(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(V)??\`\`;let r=B(\`form\`,{},[...t.parts,...n.parts,B(\`button\`,{class:\`primary\`},[\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(V,n.input.value.trim()),Z(t.input.value.trim())});let i=B(\`p\`,{},[\`Sign in to see this approval and to decide it.\`]);G(\`Approval\`,[e===void 0?i:K(e),r]),t.input.focus()}async function Z(t){if(t.length>3700)return X(\`The token is too long for this page. Use one with fewer claims, or the command line.\`);let{ok:n,body:r}=await W(\`session\`,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return X(J(r.message));sessionStorage.setItem(H,JSON.stringify(xe(t))),await q(\`The token was not accepted.\`)}async function Ie(){await W(\`session\`,{method:\`DELETE\`}),sessionStorage.removeItem(H),X()}function Q(e){if(!Ce(e.state))return;let t=new AbortController;document.getElementById(\`page\`)?.addEventListener(\`left\`,()=>t.abort(),{once:!0});let n=setTimeout(async()=>{let{ok:n,body:r}=document.hidden?{ok:!1,body:{}}:await W(location.pathname),i=n?E(r):e;if(t.signal.aborted)return;if(JSON.stringify(i)===JSON.stringify(e))return Q(e);let a=document.querySelector(\`#comment\`)?.value??\`\`;$(i,B(\`p\`,{role:\`status\`},[\`Changed meanwhile: \${z(i.state).title}.\`]));let o=document.querySelector(\`#comment\`);o!==null&&(o.value=a)},1500);t.signal.addEventListener(\`abort\`,()=>clearTimeout(n))}function $(e,t){let n=B(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);n.addEventListener(\`click\`,()=>void Ie());let r=N(e,Date.now());G(z(r).title,[...t===void 0?[]:[t],B(\`p\`,{class:\`message\`},[e.message]),U.list(U.facts(e,Date.now())),...U.decisions(e),U.request(e),...r===\`approved\`?[B(\`p\`,{},[\`The requester goes on by sending the request again with its approval token.\`])]:[],...r===\`pending\`?[Le(e)]:[],B(\`p\`,{class:\`foot\`},[n])]),Q(e);let i=document.querySelector(\`h1\`);i?.setAttribute(\`tabindex\`,\`-1\`),i?.focus()}function Le(e){let t=M(e,Object(n(sessionStorage.getItem(H)??\`{}\`).value));return t===\`\`?Re(e):B(\`p\`,{},[t])}function Re(n){let r=B(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),i=[\`approve\`,\`reject\`].map(e=>{let t=B(\`button\`,{type:\`button\`,class:e},[je(n,e)]);return t.addEventListener(\`click\`,()=>void o(e)),t}),a=B(\`p\`,{role:\`alert\`});async function o(o){for(let e of i)e.disabled=!0;a.textContent=\`\`;let{status:c,ok:l,body:u}=await W(\`\${location.pathname}/\${o}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(Ae(n,r.value))});l?$(E(u),B(\`p\`,{role:\`status\`},[Me[o]])):c===t.unauthenticated?X(\`Your session has ended. Sign in again.\`):await s(u)}async function s(e){let t=J(e.message),n=e.type===\`conflict\`?await W(location.pathname):void 0;if(n?.ok)return $(E(n.body),K(t));a.textContent=t;for(let t of i)t.disabled=e.type===\`forbidden\`}return B(\`section\`,{"aria-label":\`Decision\`},[B(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),r,B(\`div\`,{class:\`buttons\`},i),a])}q()})();`

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

// Made by "npm run generate" from packages/gateway/page.

/** The script of the approval page. */
export const pageScript = `(function(){let e={authorization:\`Authorization\`,contentType:\`Content-Type\`,correlationId:\`X-Correlation-ID\`,requestId:\`X-Request-ID\`,tenantId:\`X-Tenant-ID\`,actorPrincipal:\`X-Actor-Principal\`,actorSubject:\`X-Actor-Subject\`,actorIssuer:\`X-Actor-Issuer\`,actorRoles:\`X-Actor-Roles\`,agenticIdentity:\`X-Agentic-Identity\`,idempotencyKey:\`Idempotency-Key\`,idempotencyReplayed:\`Idempotency-Replayed\`,approvalToken:\`X-Approval-Token\`,via:\`X-Agentic-Via\`,profile:\`X-Agentic-Profile\`,retryAfter:\`Retry-After\`,traceparent:\`traceparent\`};function t(e){return typeof e==\`object\`&&!!e&&!Array.isArray(e)}function n(e){return t(e)?e:{}}let r={unauthenticated:401,not_found:404,method_not_allowed:405,too_large:413,limit_exceeded:429,unavailable:503};function i(e,t={}){let{leaf:n,uniqueNames:r=!1,isMessage:i=!1,maxValues:s=1/0}=t,c={maxDepth:i?72:64,maxValues:s};return(n===void 0&&!r&&o(e,c)?a(e):void 0)??new se(e,{...c,leaf:n,uniqueNames:r}).read()}function a(e){try{return{value:JSON.parse(e)}}catch{return}}function o(e,{maxDepth:t,maxValues:n}){let r=l(e,\`\\\\\`,0),i=0,a=0;for(let o=0;o<e.length;o+=1){let c=e.charCodeAt(o);if(c===34)o=u(e,o,r);else if(p(c))o=te(e,o);else{let e=s(c);i+=e,(e>0||c===44)&&(a+=1)}if(o===-1||i>t||a>n)return!1;r<o&&(r=l(e,\`\\\\\`,o))}return!0}function s(e){return c(e)?1:e===125||e===93?-1:0}function c(e){return e===123||e===91}function l(e,t,n){let r=e.indexOf(t,n);return r===-1?e.length:r}function u(e,t,n){let r=l(e,\`"\`,t+1);if(n>=r)return r;let i=d(e,r);return e.charCodeAt(f(e,i+1))===58?-1:i}function d(e,t){let n=l(e,\`"\`,t);for(;n<e.length&&ee(e,n);)n=l(e,\`"\`,n+1);return n}function ee(e,t){let n=t;for(;e.charCodeAt(n-1)===92;)--n;return(t-n)%2==1}function te(e,t){let n=t;for(;p(e.charCodeAt(n+1));)n+=1;return n-t>300||re(e,n+1)?-1:n}function f(e,t){let n=t;for(;ne(e.charCodeAt(n));)n+=1;return n}function ne(e){return e===32||e===10||e===13||e===9}function p(e){return e>=48&&e<=57}function re(e,t){return(e.charCodeAt(t)|32)==101&&e.charCodeAt(t+1)!==45}let m=/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,ie=/^\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})/,ae=[[\`true\`,!0],[\`false\`,!1],[\`null\`,null]];var oe=class extends Error{},se=class{text;options;frames=[];at=0;values=0;constructor(e,t){this.text=e,this.options=t}read(){try{return{value:this.readValue()}}catch(e){if(!(e instanceof oe))throw e;return{fault:this.faultOf(e.message)}}}readValue(){for(;;){let e=this.next(),t;if(c(e)){if(!this.open(e===123))continue;t=this.frames.pop()?.container}else t=this.readLeaf(e);for(;this.frames.length>0&&this.endMember(t);)t=this.frames.pop()?.container;if(!(this.frames.length>0))return this.next(),this.at<this.text.length&&this.refuse(\`syntax\`),t}}next(){return this.at=f(this.text,this.at),this.text.charCodeAt(this.at)}open(e){return this.frames.length===this.options.maxDepth&&this.refuse(\`too_deep\`),this.countValue(),this.at+=1,this.frames.push({container:e?{}:[],name:\`\`}),this.next()===(e?125:93)?(this.at+=1,!0):(e&&this.readName(),!1)}endMember(e){let t=this.frames.at(-1),n=Array.isArray(t.container);de(t,e);let r=this.next();return r===(n?93:125)?(this.at+=1,!0):(r!==44&&this.refuse(\`syntax\`),this.countValue(),this.at+=1,n||this.readName(),!1)}countValue(){this.values+=1,this.values>this.options.maxValues&&this.refuse(\`too_many\`)}readName(){this.next()!==34&&this.refuse(\`syntax\`);let e=this.readText();this.next()!==58&&this.refuse(\`syntax\`);let t=this.frames.at(-1);this.options.uniqueNames&&Object.hasOwn(t.container,e)&&this.refuse(\`repeated\`),this.at+=1,t.name=e}readLeaf(e){let t=this.at;if(e===34)return this.replace(this.readText(),t);if(e===45||p(e))return this.readNumber(t);let n=ae.find(([e])=>this.text.startsWith(e,t));return n===void 0?this.refuse(\`syntax\`):(this.at+=n[0].length,n[1])}readNumber(e){m.lastIndex=e,m.test(this.text)||this.refuse(\`syntax\`);let t=m.lastIndex,n=Number(this.text.slice(e,t));return Number.isFinite(n)||this.refuse(\`not_finite\`),this.at=t,this.replace(n,e)}replace(e,t){let{leaf:n}=this.options;return n===void 0?e:n(e,this.text.slice(t,this.at))}readText(){let{text:e}=this,t=this.at;for(this.at+=1;;this.at+=1){let n=e.charCodeAt(this.at);if(n===34)break;if(n===92)return this.readEscaped(t);n>=32||this.refuse(\`syntax\`)}return this.at+=1,e.slice(t+1,this.at-1)}readEscaped(e){let{text:t}=this,n=d(t,this.at),r=a(t.slice(e,n+1));return this.at=r===void 0?ce(t,this.at):n+1,r===void 0?this.refuse(\`syntax\`):r.value}refuse(e){throw new oe(e)}faultOf(e){let{line:t,column:n}=le(this.text,this.at),r=this.at>=this.text.length&&e===\`syntax\`?\`it ends too early\`:ue[e],i=this.frames.map(({container:e,name:t})=>Array.isArray(e)?String(e.length):t);return{reason:e,message:\`\${r} (line \${t}, column \${n})\`,path:i,line:t,column:n}}};function ce(e,t){for(let n=t;;n+=1){let t=e.charCodeAt(n);if(t===92){let[t]=ie.exec(e.slice(n,n+6))??[];if(t===void 0)return n;n+=t.length-1}else if(!(t>=32))return n}}function le(e,t){let n=1,r=0;for(let i=0;i<t;i+=1){let t=e.charCodeAt(i);(t===10||t===13&&e.charCodeAt(i+1)!==10)&&(n+=1,r=i+1)}return{line:n,column:t-r+1}}let ue={syntax:\`there is an unexpected character\`,repeated:\`a name comes twice in an object\`,too_deep:\`it is nested too deep\`,too_many:\`it has too many values\`,not_finite:\`a number is too large\`};function de({container:e,name:t},n){Array.isArray(e)?e.push(n):t in e?Object.defineProperty(e,t,{value:n,writable:!0,enumerable:!0,configurable:!0}):e[t]=n}let fe=/(?![ \\u00a0\\u202f\\u3000])[\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2d7f\\u{1107f}\\u{16fe4}\\u2800\\ufffc\\u{13441}\\u{13442}\\u{1d159}]/gu;function pe(e,t=me){return e.replace(fe,t)}function h(e){return e.split(/(\\r?\\n|\\t)/).map((e,t)=>t%2==1?e.replace(\`\\r\`,\`\`):pe(e)).join(\`\`)}function me(e){return\`\\\\u{\${e.codePointAt(0)?.toString(16)}}\`}function g(e,t){let n=e=>typeof e==typeof t&&!Number.isNaN(e);return{schema:e,is:n,absent:t,read:e=>n(e)?e:t}}let _=g({type:\`string\`},\`\`),v=g({type:\`string\`,format:\`date-time\`},\`\`),he={...g({type:\`integer\`,minimum:1},1),read:e=>typeof e==\`number\`&&e>1?e:1},ge=g({const:!0},!1);function y(...e){return g({type:\`string\`,enum:e},\`\`)}function b(e,t){return{...t,schema:{...t.schema,description:e}}}function _e(e){return{schema:{anyOf:[e.schema,{type:\`null\`}]},is:t=>t===null||e.is(t),absent:null,read:t=>e.is(t)?e.read(t):null}}function x(e){return{schema:{type:\`array\`,items:e.schema},is:Array.isArray,absent:[],read:t=>Array.isArray(t)?t.map(e.read):[]}}let ve={schema:{type:\`object\`},is:t,absent:{},read:n};function S(e,r=[]){let i=Object.entries(e),a=e=>r.includes(e);function o(e){let t=n(e);return Object.fromEntries(i.map(([e,n])=>{let r=Object.hasOwn(t,e)?t[e]:void 0;return[e,a(e)&&!n.is(r)?n.absent:n.read(r)]}))}let s=Object.fromEntries(i.map(([e,{schema:t}])=>[e,t])),c=i.filter(([e])=>!a(e));return{schema:{type:\`object\`,properties:s,required:c.map(([e])=>e)},is:e=>t(e)&&c.every(([t,{is:r}])=>r(n(e)[t])),absent:null,read:o}}let ye=[\`pending\`,\`approved\`,\`rejected\`,\`used\`,\`expired\`,\`withdrawn\`],be=S({decidedBy:_,decidedByIssuer:_,verdict:y(\`approved\`,\`rejected\`),comment:_,decidedAt:v},[\`decidedByIssuer\`,\`comment\`,\`decidedAt\`]),xe={method:_,path:_,inputs:b(\`The inputs by place: path, query, header, body.\`,ve),truncated:b(\`Values were left out because of their size.\`,ge)},Se={...S(xe,[\`truncated\`]),is:S(xe,[\`inputs\`,\`truncated\`]).is},C=S({approvalId:_,state:y(...ye),operation:_,message:_,approver:S({name:_}),role:b(\`The role that decides; empty if the requester confirms.\`,_),by:b(\`Set if the requester, or the person behind it, confirms.\`,y(\`requester\`)),requester:_,requesterIssuer:_,requestedFor:b(\`The person on whose behalf the requester, an agent, asked.\`,_),requestedForIssuer:_,request:b(\`The request without its secrets; null if an older version kept none.\`,_e(Se)),digest:_,quorum:he,decisions:x(be),via:b(\`The calls that led to the requester, the first one first.\`,x(_)),correlationId:_,createdAt:v,expiresAt:v,decidedBy:b(\`The decider whose decision was the last one needed.\`,_),decidedByIssuer:_,decidedAt:v},[\`approver\`,\`by\`,\`requesterIssuer\`,\`requestedFor\`,\`requestedForIssuer\`,\`correlationId\`,\`decidedBy\`,\`decidedByIssuer\`,\`decidedAt\`]),Ce=S({approvals:x(C),next:b(\`The cursor of the next page; absent on the last one.\`,_)},[\`next\`]);C.schema,Ce.schema;let w=C.read;function we({approvalId:e,state:t}){return e!==\`\`&&t!==\`\`}function Te(e){if(!Array.isArray(Object(e).approvals))return;let{approvals:t,next:n}=Ce.read(e);return{approvals:t.filter(we),next:n||void 0}}function T({subject:e,issuer:t},n,r){return e===void 0||e!==n?!1:r===\`\`||t===void 0||t===r}function E({requester:e,requesterIssuer:t},n){return T(n,e,t)}function D({requestedFor:e,requestedForIssuer:t},n){return T(n,e,t)}function Ee(e,t){return E(e,t)||D(e,t)}function O({by:e}){return e===\`requester\`}function k(e,t){let{decisions:n,role:r,requestedFor:i}=e;if(t.subject===void 0)return\`\`;if(n.some(({decidedBy:e,decidedByIssuer:n})=>T(t,e,n)))return\`You have decided it. Others have to decide too.\`;if(O(e))return(i===\`\`?E(e,t):D(e,t))?\`\`:\`Only the person who asked confirms it.\`;let a=r===\`\`?\`Somebody else\`:\`Somebody else with the role \${r}\`;return E(e,t)?\`You are the requester. \${a} decides it.\`:D(e,t)?\`An agent asked for it on your behalf. \${a} decides it.\`:\`\`}function A({state:e,expiresAt:t},n){return e===\`pending\`&&Date.parse(t)<=n?\`expired\`:e}function De({state:e,decisions:t}){return[\`approved\`,\`used\`,\`rejected\`].includes(e)&&t.at(-1)?.decidedAt||\`\`}function Oe(e){return e===\`pending\`||e===\`approved\`}let j=6e4,M=60*j,N=24*M;function P(e,t){let n=Date.parse(e.expiresAt)-t;if(A(e,t)!==\`pending\`||Number.isNaN(n))return\`\`;if(n>=N)return\`\${Math.floor(n/N)} d left\`;if(n>=M)return\`\${Math.floor(n/M)} h \${Math.floor(n%M/j)} min left\`;let r=Math.floor(n%j/1e3);return n>=j?\`\${Math.floor(n/j)} min \${r} s left\`:\`\${r} s left\`}function ke({decisions:e}){return e.filter(({verdict:e})=>e===\`approved\`).length}function Ae(e){let{quorum:t,role:n}=e;if(O(e))return\`A confirmation by the person who asked\`;let r=n===\`\`?\`\`:\` with the role \${n}\`;return t===1?\`One approval by somebody else\${r}\`:\`\${ke(e)} of \${t} approvals by different people\${r}\`}function je(e){return e===null?\`\`:\`\${e.method} \${e.path}\`.trim()}let F=[\`path\`,\`query\`,\`header\`,\`body\`];function Me({inputs:e}){return Object.entries(e).filter(([,e])=>!Ne(e)).toSorted(([e],[t])=>F.indexOf(e)-F.indexOf(t))}function Ne(e){return e==null||typeof e==\`object\`&&!Array.isArray(e)&&Object.keys(e).length===0}function Pe({digest:e},t=\`\`){let n=t.trim();return{...e!==\`\`&&{digest:e},...n!==\`\`&&{comment:n}}}function Fe(e,t,n){return A(e,n)===\`pending\`&&k(e,t)===\`\`}let Ie=[\`approved\`,\`used\`,\`rejected\`,\`expired\`,\`withdrawn\`],Le=[\`waiting\`,\`asked\`,\`decided\`],I={waiting:{title:\`Waits for me\`,empty:\`Nothing waits for you.\`},asked:{title:\`I asked for\`,empty:\`You have asked for nothing.\`},decided:{title:\`Decided\`,empty:\`Nothing has been decided.\`}};function Re(e){let t=/* @__PURE__ */ new Map;for(let{service:n,approvals:r}of e)for(let e of r){let r=ze(e),i=t.get(r);(i===void 0||Be(e,i.approval))&&t.set(r,{approval:e,service:n})}return[...t.values()].toSorted(Ve)}function ze({approvalId:e,digest:t,operation:n,requester:r,createdAt:i}){return JSON.stringify([e,t,n,r,i])}function Be(e,t){return t.state===\`pending\`&&e.state!==\`pending\`||e.state===t.state&&e.decisions.length>t.decisions.length}function Ve(e,t){let[n,r]=[e.approval,t.approval];return He(r.createdAt,n.createdAt)||He(n.approvalId,r.approvalId)}function He(e,t){return e===t?0:e<t?-1:1}function Ue(e,t,n){return e.filter(({approval:e})=>We[t](e,n))}let We={waiting:(e,{me:t,now:n})=>Fe(e,t,n),asked:(e,{me:t})=>Ee(e,t),decided:(e,{now:t})=>A(e,t)!==\`pending\`};function Ge(e,t){let n=e.filter(({state:e})=>e===\`pending\`),r=Ue(Re(n),\`waiting\`,t).length;return r===0?\`\`:n.some(({hasMore:e})=>e)?\`\${r}+\`:String(r)}function Ke(e){let t=new URLSearchParams(e).get(\`list\`);return Le.find(e=>e===t)??\`waiting\`}let qe={pending:{title:\`Approval needed\`,words:\`waits for a decision\`},approved:{title:\`Approved\`,words:\`approved, not used yet\`},used:{title:\`Approved and used\`,words:\`approved and used\`},rejected:{title:\`Rejected\`,words:\`rejected\`},expired:{title:\`Expired\`,words:\`expired\`},withdrawn:{title:\`Withdrawn\`,words:\`withdrawn\`}};function L(e){return Object.hasOwn(qe,e)?qe[e]:{title:\`Approval\`,words:e||\`unknown\`}}let Je=/* @__PURE__ */ new Map([[\`pending\`,\`asks\`],[\`approved\`,\`done\`],[\`used\`,\`done\`],[\`rejected\`,\`refused\`],[\`expired\`,\`failed\`]]);function Ye(e,t){let n=A(e,t),r=Je.get(n)??\`background\`,i=ke(e);return{family:r,words:n===\`pending\`&&i>0?\`\${i} of \${e.quorum} approvals\`:L(n).words}}function Xe(e,t){return t===\`approve\`?O(e)?\`Confirm\`:\`Approve\`:t===\`reject\`?\`Reject\`:\`Withdraw\`}let Ze={approve:\`You approved it.\`,reject:\`You rejected it.\`,withdraw:\`You withdrew it.\`},R={cut:\`Some values are too large to be shown. The decision is about them too.\`,noInputs:\`The request has no inputs.\`,notShown:\`The service does not show the request.\`};var Qe=class{#e;#t;constructor({make:e,level:t}){this.#e=e,this.#t=t}list(e){let t=e.flatMap(([e,t])=>[this.#s(\`dt\`,e),this.#s(\`dd\`,t)]);return this.#e(\`dl\`,{class:\`facts\`},t)}row({approval:e,service:t},n){let{words:r,family:i}=Ye(e,n),{requester:a,requestedFor:o,operation:s,message:c}=e,l=P(e,n),u=o===\`\`?\`\`:\` for \${o}\`,d=(e,...t)=>this.#e(\`span\`,{class:e},t),ee=[d(\`badge \${i}\`,h(r)),...l===\`\`?[]:[d(\`note\`,l)]];return[d(\`inbox-title\`,h(c||s)),d(\`note\`,h(\`\${a}\${u} · \${s} · \${t.path}\`)),d(\`inbox-state\`,...ee)]}facts(e,t){let{operation:n,requester:r,requestedFor:i,via:a,createdAt:o,expiresAt:s,digest:c}=e,l=P(e,t),u=De(e);return[[\`Operation\`,n],[\`Asked by\`,this.#r(r,e.requesterIssuer)],i===\`\`?void 0:[\`On behalf of\`,this.#r(i,e.requestedForIssuer)],a.length===0?void 0:[\`Way\`,this.#i(e)],o===\`\`?void 0:[\`Asked\`,this.#a(o)],s===\`\`?void 0:[\`Expires\`,this.#s(\`span\`,this.#a(s),l===\`\`?\`\`:\` · \${l}\`)],[\`Needed\`,Ae(e)],u===\`\`?void 0:[\`Decided at\`,this.#a(u)],c===\`\`?void 0:[\`Digest\`,this.#e(\`span\`,{class:\`approval-digest\`},[c])]].filter(e=>e!==void 0)}request({request:e}){let t=je(e);if(e===null||t===\`\`)return this.#e(\`p\`,{class:\`approval-cut\`},[R.notShown]);let n=Me(e).flatMap(([e,t])=>[this.#o(1,\`In the \${h(e)}\`),this.value(t)]),r={class:\`approval-inputs\`,tabindex:\`0\`,role:\`group\`,"aria-label":\`Inputs\`};return this.#e(\`section\`,{"aria-label":\`Request\`},[this.#o(0,\`Request\`),this.#e(\`p\`,{class:\`approval-line\`},[h(t)]),...e.truncated?[this.#e(\`p\`,{class:\`approval-cut\`},[R.cut])]:[],...n.length>0?[this.#e(\`div\`,r,n)]:[],...n.length>0||e.truncated?[]:[this.#s(\`p\`,R.noInputs)]])}decisions({decisions:e}){if(e.length===0)return[];let t=e.map(e=>this.#n(e));return[this.#e(\`section\`,{"aria-label":\`Decisions\`},[this.#o(0,\`Decisions\`),this.#e(\`ul\`,{class:\`approval-decisions\`},t)])]}value(e,t=0){if(typeof e!=\`object\`||!e)return this.#e(\`span\`,{class:\`approval-value\`},[h(String(e))]);let n=Object.entries(e);if(n.length===0)return this.#s(\`span\`,Array.isArray(e)?\`an empty list\`:\`empty\`);if(t>=4)return this.#e(\`code\`,{class:\`approval-value\`},[h(JSON.stringify(e))]);if(!Array.isArray(e))return this.list(n.map(([e,n])=>[e,this.value(n,t+1)]));let r=e.map(e=>this.#s(\`li\`,this.value(e,t+1)));return this.#e(\`ol\`,{class:\`approval-values\`},r)}#n({decidedBy:e,decidedByIssuer:t,verdict:n,comment:r,decidedAt:i}){let a=r===\`\`?[]:[this.#e(\`p\`,{class:\`approval-comment\`},[h(r)])],o=this.#s(\`strong\`,this.#r(e,t));return this.#s(\`li\`,o,\` \${n} \`,...i===\`\`?[]:[this.#a(i)],...a)}#r(e,t){let n=t===\`\`?[]:[this.#e(\`span\`,{class:\`approval-issuer\`},[h(\` at \${t}\`)])];return this.#s(\`span\`,this.#s(\`span\`,e),...n)}#i({via:e,requester:t,operation:n}){let r=[...e,\`\${t} called \${n}\`];return this.#e(\`ol\`,{class:\`approval-way\`},r.map(e=>this.#s(\`li\`,e)))}#a(e){let t=new Date(e);if(Number.isNaN(t.getTime()))return h(e);let n=t.toLocaleString(void 0,{dateStyle:\`medium\`,timeStyle:\`short\`});return this.#e(\`time\`,{datetime:e},[n.replaceAll(/\\p{Zs}/gu,\` \`)])}#o(e,t){return this.#e(\`h\${this.#t+e}\`,{},[t])}#s(e,...t){let n=t.map(e=>typeof e==\`string\`?h(e):e);return this.#e(e,{},n)}};function z(e,t={},n=[]){let r=document.createElement(e);for(let[e,n]of Object.entries(t))r.setAttribute(e,n);return r.append(...n.map(e=>typeof e==\`string\`?h(e):e)),r}let $e={"X-Agentic-Page":\`approvals\`},B=\`agentic-approvals-tenant\`,V=\`/approvals\`,H=\`\${V}/session\`,U=document.documentElement.dataset.signIn!==void 0,W=location.pathname===V,G=new Qe({make:(e,t,n)=>z(e,t,n),level:2});async function K(t,n={}){let r=sessionStorage.getItem(B)??\`\`,a={...$e,...r!==\`\`&&{[e.tenantId]:r}},o={...n,cache:\`no-store\`,redirect:\`error\`,headers:{Accept:\`application/json\`,...a,...n.headers}};try{let e=await fetch(t,o),{value:n}=i(await e.text(),{isMessage:!0});return{status:e.status,ok:e.ok,body:Object(n)}}catch{return{status:0,ok:!1,body:{message:\`The gateway does not answer. Try again.\`}}}}function q(e,t){let n=document.getElementById(\`page\`);n?.dispatchEvent(new Event(\`left\`)),document.title=e,n?.replaceChildren(z(\`h1\`,{},[e]),...t),n?.removeAttribute(\`aria-busy\`)}function et(){let e=new AbortController;return document.getElementById(\`page\`)?.addEventListener(\`left\`,()=>e.abort(),{once:!0}),e.signal}function tt(e){return z(\`p\`,{role:\`alert\`,id:\`told\`},[e])}async function nt(e){let{status:t,ok:n,body:i}=await K(H);if(!n)return X(t===r.unauthenticated?e:J(i.message));let a=i;if(W)return ft(a);let o=await K(location.pathname);o.ok?$(a,w(o.body)):X(o.status===r.unauthenticated?e:rt(o))}function rt({status:e,body:t}){return e===r.not_found?\`There is no such approval, or it is not for you to see. Sign in as somebody else to try again.\`:J(t.message)}function J(e){return typeof e==\`string\`&&e!==\`\`?e:\`The request failed.\`}function Y(e,t,n){let r=z(\`input\`,{id:e,name:e,autocomplete:\`off\`,...n});return{input:r,parts:[z(\`label\`,{for:e},[t]),r]}}function X(e){let t=Y(\`token\`,\`Token\`,{type:\`password\`,required:\`\`,...e===void 0?{}:{"aria-describedby":\`told\`}}),n=Y(\`tenant\`,\`Tenant, if your token has several\`,{type:\`text\`});n.input.value=sessionStorage.getItem(B)??\`\`;let r=z(\`form\`,{},[...t.parts,...n.parts,z(\`button\`,{class:U?\`\`:\`primary\`},[U?\`Use this token\`:\`Sign in\`])]);r.addEventListener(\`submit\`,e=>{e.preventDefault(),sessionStorage.setItem(B,n.input.value.trim()),ot(t.input.value.trim())});let i=e===void 0?z(\`p\`,{},[\`Sign in to see \${W?\`your approvals and to decide them\`:\`this approval and to decide it\`}.\`]):tt(e);q(W?\`Approvals\`:\`Approval\`,[i,...U?it(r):[r]]),document.querySelector(U?\`a.primary\`:\`#token\`)?.focus()}function it(e){let t=z(\`a\`,{class:\`primary button\`,href:\`/sign-in?return=\${encodeURIComponent(\`\${location.pathname}\${location.search}\`)}\`},[\`Sign in\`]),n=z(\`details\`,{},[z(\`summary\`,{},[\`Use a token\`]),e]);return[z(\`p\`,{},[t]),n]}let at=\`The token was not accepted.\`;async function ot(t){let{ok:n,status:i,body:a}=await K(H,{method:\`POST\`,headers:{[e.authorization]:\`Bearer \${t}\`}});if(!n)return X(i===r.unauthenticated?at:J(a.message));await nt(at)}async function st(){let{body:e}=U?await K(\`/sign-out\`,{method:\`POST\`}):await K(H,{method:\`DELETE\`});typeof e.next==\`string\`?location.assign(e.next):X()}let Z=\`Your session has ended. Sign in again.\`;function ct(e,t){if(!Oe(t.state))return;let n=et(),i=setTimeout(async()=>{let{ok:i,status:a,body:o}=document.hidden?lt:await K(location.pathname);if(n.aborted)return;if(a===r.unauthenticated)return X(Z);let s=i?w(o):t;if(JSON.stringify(s)===JSON.stringify(t))return ct(e,t);let c=document.querySelector(\`#comment\`)?.value??\`\`;$(e,s,z(\`p\`,{role:\`status\`},[\`Changed meanwhile: \${L(s.state).title}.\`]));let l=document.querySelector(\`#comment\`);l!==null&&(l.value=c)},1500);n.addEventListener(\`abort\`,()=>clearTimeout(i))}let lt={ok:!1,status:0,body:{}};function Q({name:e}){let t=z(\`button\`,{type:\`button\`,class:\`quiet\`},[\`Sign out\`]);return t.addEventListener(\`click\`,()=>void st()),z(\`p\`,{class:\`foot\`},[...U&&!W?[z(\`a\`,{href:V},[\`All approvals\`]),\` · \`]:[],...e===\`\`?[]:[\`\${e} · \`],t])}function $(e,t,n){let r=A(t,Date.now());q(L(r).title,[...n===void 0?[]:[n],z(\`p\`,{class:\`message\`},[t.message]),G.list(G.facts(t,Date.now())),...G.decisions(t),G.request(t),...r===\`approved\`?[z(\`p\`,{},[\`The requester goes on by sending the request again with its approval token.\`])]:[],...r===\`pending\`?[ut(e,t)]:[],Q(e)]),ct(e,t);let i=document.querySelector(\`h1\`);i?.setAttribute(\`tabindex\`,\`-1\`),i?.focus()}function ut(e,t){let n=k(t,e);return n===\`\`?dt(e,t):z(\`p\`,{},[n])}function dt(t,n){let i=z(\`textarea\`,{id:\`comment\`,rows:\`3\`,maxlength:\`2000\`}),a=[\`approve\`,\`reject\`].map(e=>{let t=z(\`button\`,{type:\`button\`,class:e},[Xe(n,e)]);return t.addEventListener(\`click\`,()=>void s(e)),t}),o=z(\`p\`,{role:\`alert\`});async function s(s){for(let e of a)e.disabled=!0;o.textContent=\`\`;let{status:l,ok:u,body:d}=await K(\`\${location.pathname}/\${s}\`,{method:\`POST\`,headers:{[e.contentType]:\`application/json\`},body:JSON.stringify(Pe(n,i.value))});u?$(t,w(d),z(\`p\`,{role:\`status\`},[Ze[s]])):l===r.unauthenticated?X(Z):await c(d)}async function c(e){let n=J(e.message),r=e.type===\`conflict\`?await K(location.pathname):void 0;if(r?.ok)return $(t,w(r.body),tt(n));o.textContent=n;for(let t of a)t.disabled=e.type===\`forbidden\`}return z(\`section\`,{"aria-label":\`Decision\`},[z(\`label\`,{for:\`comment\`},[\`Comment, for the record\`]),i,z(\`div\`,{class:\`buttons\`},a),o])}function ft(e){let t=Ke(location.search),n=Y(\`search\`,\`Search\`,{type:\`search\`}),r=z(\`ul\`,{class:\`inbox-list\`,"aria-label":I[t].title}),i=z(\`p\`,{role:\`status\`,class:\`inbox-told\`},[\`Reading the approvals…\`]),a=z(\`nav\`,{class:\`inbox-tabs\`,"aria-label":\`Lists of approvals\`});q(\`Approvals\`,[a,...n.parts,i,r,Q(e)]);let o=et(),s=[];function c(){let o={me:e,now:Date.now()},c=Ge(s,o);document.title=c===\`\`?\`Approvals\`:\`(\${c}) Approvals\`,a.replaceChildren(...Le.map(e=>mt(e,e===t,c)));let l=Ue(Re(s),t,o).filter(e=>gt(e,n.input.value));r.replaceChildren(...l.map(e=>z(\`li\`,{},[z(\`a\`,{class:\`inbox-row\`,href:ht(e)},G.row(e,o.now))])));let u=s.filter(({fault:e})=>e!==\`\`).map(({service:e,fault:t})=>\`\${e.path}: \${t}\`),d=n.input.value===\`\`?I[t].empty:\`Nothing fits the search.\`;i.textContent=u[0]??(l.length===0?d:\`\`)}async function l(){let n=t===\`waiting\`?[\`pending\`]:[\`pending\`,...Ie],r=e.services.flatMap(e=>n.map(t=>({service:e,state:t}))),i=await Promise.all(r.map(pt));if(!o.aborted){if(i.includes(void 0))return X(Z);s=i.filter(e=>e!==void 0),c()}}n.input.addEventListener(\`input\`,c);let u=setInterval(()=>document.hidden||void l(),1e4);o.addEventListener(\`abort\`,()=>clearInterval(u)),l()}async function pt({service:e,state:t}){let n=[],i;for(let a=0;a<(t===\`pending\`?10:1);a++){let a=new URLSearchParams({state:t,limit:\`50\`,...i!==void 0&&{cursor:i}}),{ok:o,status:s,body:c}=await K(\`\${e.path}?\${a}\`);if(s===r.unauthenticated)return;let l=o?Te(c):void 0;if(l===void 0)return{service:e,state:t,approvals:n,hasMore:!1,fault:J(c.message)};if(n.push(...l.approvals),i=l.next,i===void 0)break}return{service:e,state:t,approvals:n,hasMore:i!==void 0,fault:\`\`}}function mt(e,t,n){let r=e===\`waiting\`?V:\`\${V}?list=\${e}\`,i=e===\`waiting\`&&n!==\`\`?[\` \`,z(\`span\`,{class:\`count\`},[n])]:[];return z(\`a\`,{href:r,...t&&{"aria-current":\`page\`}},[I[e].title,...i])}function ht({service:e,approval:t}){return\`\${e.path}/\${encodeURIComponent(t.approvalId)}\`}function gt({approval:e,service:t},n){let{approvalId:r,message:i,operation:a,requester:o,requestedFor:s,request:c}=e,l=JSON.stringify([r,i,a,o,s,t.path,c]);return n.toLowerCase().split(/\\s+/).every(e=>l.toLowerCase().includes(e))}nt()})();`

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
}
a {
  color: inherit;
}
a.button {
  display: inline-block;
  padding: 0.55rem 1.1rem;
  border-radius: 0.375rem;
  text-decoration: none;
}
summary {
  cursor: pointer;
}
.inbox-tabs {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
}
.inbox-tabs a {
  padding: 0.35rem 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.375rem;
  text-decoration: none;
}
.inbox-tabs a[aria-current] {
  border-color: currentcolor;
  font-weight: 600;
}
.count {
  padding: 0 0.4rem;
  border-radius: 0.6rem;
  background: var(--text);
  color: var(--card);
}
.inbox-list {
  list-style: none;
  padding: 0;
}
.inbox-list li + li {
  border-top: 1px solid var(--line);
}
.inbox-row {
  display: grid;
  gap: 0.15rem;
  padding: 0.6rem 0.25rem;
  text-decoration: none;
}
.inbox-title {
  font-weight: 600;
}
.inbox-row:hover .inbox-title {
  text-decoration: underline;
}
.note {
  color: var(--quiet);
  font-size: 0.9rem;
}
.inbox-state {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem 0.75rem;
}
.badge.done {
  color: var(--good);
}
.badge.refused,
.badge.failed {
  color: var(--bad);
}
.inbox-told:not(:empty) {
  color: inherit;
  font-weight: 400;
}`

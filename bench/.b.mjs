// bench/scripted-model.ts
import { Agent, createServer as createServer2, request as httpRequest } from "node:http";

// harness/model/loopback.ts
import { createServer } from "node:http";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";

// harness/model/writes.ts
function mergeWrites(actions) {
  const merged = [];
  let run = [];
  const flush = () => {
    if (run.length > 0)
      merged.push({ do: "write", bytes: concat(run.map((write2) => write2.bytes)), apart: false });
    run = [];
  };
  for (const action of actions) {
    if (action.do === "write") {
      run.push(action);
    } else {
      flush();
      merged.push(action);
    }
  }
  flush();
  return merged;
}
function cutWrites(actions, count) {
  const total = actions.reduce((sum, action) => sum + (action.do === "write" ? action.bytes.length : 0), 0);
  const size = Math.max(1, Math.ceil(total / Math.max(1, count)));
  return actions.flatMap(
    (action) => action.do === "write" ? chunks(action.bytes, size) : [action]
  );
}
function chunks(bytes, size) {
  const writes = [];
  for (let from = 0; from < bytes.length; from += size) {
    writes.push({ do: "write", bytes: bytes.subarray(from, from + size), apart: true });
  }
  return writes;
}
function concat(parts) {
  const [only] = parts;
  if (only !== void 0 && parts.length === 1) return only;
  const whole3 = new Uint8Array(parts.reduce((sum, part2) => sum + part2.length, 0));
  let at = 0;
  for (const part2 of parts) {
    whole3.set(part2, at);
    at += part2.length;
  }
  return whole3;
}

// harness/model/loopback.ts
async function serveLoopback(model, options = {}) {
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
    void answer(model, {
      request,
      response,
      apartMs: options.apartMs ?? 2,
      keepAliveMs: options.keepAliveMs ?? 50
    });
  });
  server.on("connection", (socket) => socket.setNoDelay(true));
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}`, close: () => close(server) };
}
async function close(server) {
  await wait(0);
  await new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
async function answer(model, answering) {
  const { request, response } = answering;
  const body2 = await readBody(request);
  if (body2 === null) return;
  const { exchange, actions } = model.begin(wireRequest(request, body2));
  const gone = new Promise((resolve) => response.once("close", () => resolve("cut")));
  const carrier = new ResponseCarrier(answering, exchange, gone);
  let outcome = "finished";
  for (const action of actions) {
    const carried = carrier.carry(action, model);
    const went = typeof carried === "string" ? carried : await carried;
    if (went === "on") continue;
    outcome = went;
    break;
  }
  model.ended(exchange, outcome);
}
async function readBody(request) {
  const parts = [];
  try {
    for await (const part2 of request) parts.push(part2);
  } catch {
    return null;
  }
  return concat(parts);
}
function wireRequest(request, body2) {
  const headers = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    headers.push([request.rawHeaders[index] ?? "", request.rawHeaders[index + 1] ?? ""]);
  }
  return { method: request.method ?? "GET", path: request.url ?? "/", headers, body: body2 };
}
var ResponseCarrier = class {
  #response;
  #exchange;
  #gone;
  #apartMs;
  #keepAliveMs;
  constructor(answering, exchange, gone) {
    this.#response = answering.response;
    this.#exchange = exchange;
    this.#gone = gone;
    this.#apartMs = answering.apartMs;
    this.#keepAliveMs = answering.keepAliveMs;
  }
  /** `on`: the next action may follow. Otherwise the exchange is over. */
  carry(action, model) {
    if (this.#response.destroyed) return "cut";
    switch (action.do) {
      case "head":
        this.#response.writeHead(
          action.status,
          action.headers.flatMap((header) => [...header])
        );
        this.#response.flushHeaders();
        return "on";
      case "write":
        return this.#write(action.bytes, action.apart);
      case "hold":
        return this.#orGone(model.reached(this.#exchange, action.name));
      case "end":
        return this.#end();
      case "break":
        return this.#break(action.how);
      case "stall":
        return this.#stall(action.keepAlive);
    }
  }
  #write(bytes, apart) {
    this.#exchange.sent.push(bytes);
    if (!apart) {
      this.#response.write(bytes);
      return "on";
    }
    const flushed = new Promise((resolve) => this.#response.write(bytes, () => resolve()));
    return this.#orGone(flushed.then(() => this.#apartMs === 0 ? nextTurn() : wait(this.#apartMs)));
  }
  async #end() {
    const went = await this.#orGone(new Promise((resolve) => this.#response.end(() => resolve())));
    return this.#response.writableFinished ? "on" : went;
  }
  /** FIN without a proper end, or RST. What was written before still reaches the client when it is a FIN. */
  async #break(how) {
    const socket = this.#response.socket;
    if (how === "reset") {
      await wait(this.#apartMs);
      socket?.resetAndDestroy();
    } else if (socket !== null) {
      await new Promise((resolve) => socket.end(() => resolve()));
      socket.destroy();
    }
    return "failed";
  }
  async #stall(keepAlive) {
    const timer = keepAlive === null ? void 0 : setInterval(() => this.#write(keepAlive, false), this.#keepAliveMs);
    await this.#gone;
    clearInterval(timer);
    return "cut";
  }
  #orGone(promise) {
    return Promise.race([promise.then(() => "on"), this.#gone]);
  }
};

// harness/model/msw.ts
import { randomUUID } from "node:crypto";

// harness/model/body-stream.ts
var BodyStream = class {
  stream;
  #queue = [];
  #ending = "none";
  #wake = () => {
  };
  #controller = null;
  /** `onCancel`: the reader has gone away. */
  constructor(onCancel) {
    this.stream = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => {
          this.#ending = "closed";
          this.#queue.length = 0;
          this.#wake();
          onCancel();
        }
      },
      { highWaterMark: 0 }
    );
  }
  push(bytes) {
    this.#queue.push(bytes);
    this.#wake();
  }
  close() {
    this.#end("closed");
  }
  /** The reader gets what was pushed, then the error. */
  fail(error) {
    this.#end({ error });
  }
  /** The reader gets the error at once, whatever was pushed. */
  abort(reason) {
    this.#queue.length = 0;
    this.#end({ error: reason });
    this.#controller?.error(reason);
  }
  #end(ending2) {
    if (this.#ending === "none") this.#ending = ending2;
    this.#wake();
  }
  #pull(controller) {
    const next = this.#queue.shift();
    if (next !== void 0) controller.enqueue(next);
    else if (this.#ending === "closed") controller.close();
    else if (this.#ending !== "none") controller.error(this.#ending.error);
    else return this.#more().then(() => this.#pull(controller));
    return void 0;
  }
  #more() {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
};

// harness/model/framing.ts
function bytesOf(text) {
  return Buffer.from(text, "utf8");
}
var FrameWriter = class {
  #kind;
  #lineEnd;
  #count = 0;
  constructor(kind, crlf) {
    this.#kind = kind;
    this.#lineEnd = crlf ? "\r\n" : "\n";
  }
  frames(frames) {
    return frames.map((frame2) => this.#frame(frame2)).join("");
  }
  /** What comes after the last frame. */
  end() {
    return this.#kind === "array" ? this.#count === 0 ? "[]" : "]" : "";
  }
  /** Something that keeps a connection alive and says nothing. */
  keepAlive() {
    return this.#kind === "array" ? this.#lineEnd : `: keep-alive${this.#lineEnd}${this.#lineEnd}`;
  }
  /** A line that belongs to no protocol, as a proxy in between writes it. */
  junk() {
    return `upstream connect error or disconnect before headers${this.#lineEnd}${this.#lineEnd}`;
  }
  /** Frames whose JSON ends in the middle. */
  badJson(frames) {
    return this.frames(
      frames.map(({ event: event2, data }) => ({ event: event2, data: data.slice(0, Math.ceil(data.length / 2)) }))
    );
  }
  #frame({ event: event2, data }) {
    this.#count += 1;
    if (this.#kind === "array") return `${this.#count === 1 ? "[" : `,${this.#lineEnd}`}${data}`;
    const name = event2 === null ? "" : `event: ${event2}${this.#lineEnd}`;
    return `${name}data: ${data}${this.#lineEnd}${this.#lineEnd}`;
  }
};

// harness/model/msw.ts
function inProcessFetch(model, baseUrl, keepAliveMs = 50) {
  const carrier = new InProcessCarrier(model, baseUrl.replace(/\/+$/, ""), keepAliveMs);
  return (input, init) => carrier.fetch(input, init);
}
var InProcessCarrier = class {
  #model;
  #baseUrl;
  #keepAliveMs;
  /** What the application wrote: a `Request` sorts headers, and takes its time to give a body back. */
  #written = /* @__PURE__ */ new WeakMap();
  #handler = null;
  constructor(model, baseUrl, keepAliveMs) {
    this.#model = model;
    this.#baseUrl = baseUrl;
    this.#keepAliveMs = keepAliveMs;
  }
  async fetch(input, init) {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    this.#written.set(request, {
      headers: headersAsWritten(request, init?.headers),
      body: typeof init?.body === "string" ? bytesOf(init.body) : null
    });
    const handler = await (this.#handler ??= this.#load());
    request.signal.throwIfAborted();
    const result = await handler.run({ request, requestId: randomUUID() });
    request.signal.throwIfAborted();
    const response = result?.response;
    if (response === void 0) throw networkError("ECONNREFUSED");
    if (response.type === "error") throw networkError("ECONNRESET");
    return response;
  }
  /** Loaded late: a run without an in-process subject never needs it. */
  async #load() {
    const { http } = await import("msw/core/http");
    const isBelow = ({ request }) => request.url.startsWith(`${this.#baseUrl}/`);
    return http.all(isBelow, ({ request }) => this.#answer(request));
  }
  async #answer(request) {
    const written2 = this.#written.get(request);
    const wireRequest2 = {
      method: request.method,
      path: request.url.slice(this.#baseUrl.length),
      headers: written2?.headers ?? [...request.headers],
      body: written2?.body ?? new Uint8Array(await request.arrayBuffer())
    };
    const { exchange, actions } = this.#model.begin(wireRequest2);
    return new Answer(this.#model, exchange, this.#keepAliveMs, request.signal).give(actions);
  }
};
function headersAsWritten(request, given) {
  const written2 = given === void 0 || given instanceof Headers ? [] : Array.isArray(given) ? given.map((pair) => [String(pair[0]), String(pair[1])]) : Object.entries(given).map(([name, value]) => [name, String(value)]);
  const named = new Set(written2.map(([name]) => name.toLowerCase()));
  return [...written2, ...[...request.headers].filter(([name]) => !named.has(name))];
}
function networkError(code, message = "fetch failed") {
  return new TypeError(message, { cause: Object.assign(new Error(code), { code }) });
}
var Answer = class {
  #model;
  #exchange;
  #keepAliveMs;
  #signal;
  #body;
  #gone;
  constructor(model, exchange, keepAliveMs, signal) {
    this.#model = model;
    this.#exchange = exchange;
    this.#keepAliveMs = keepAliveMs;
    this.#signal = signal;
    let leave = () => {
    };
    this.#gone = new Promise((resolve) => {
      leave = resolve;
    });
    const hangUp = () => {
      this.#model.ended(this.#exchange, "cut");
      leave("gone");
    };
    this.#body = new BodyStream(hangUp);
    this.#signal.addEventListener("abort", () => {
      this.#body.abort(this.#signal.reason);
      hangUp();
    });
  }
  /** The response, as soon as its head is sent; the rest goes on behind it. */
  async give(actions) {
    for (const [index, action] of actions.entries()) {
      if (action.do === "head") {
        void this.#send(actions.slice(index + 1));
        return new Response(this.#body.stream, {
          status: action.status,
          headers: action.headers.map((header) => [...header])
        });
      }
      if (action.do === "hold") {
        if (await this.#orGone(this.#model.reached(this.#exchange, action.name)) === "gone") break;
      } else if (action.do === "stall") {
        await this.#gone;
        break;
      } else {
        this.#model.ended(this.#exchange, "failed");
        break;
      }
    }
    return Response.error();
  }
  async #send(actions) {
    for (const action of actions) {
      switch (action.do) {
        case "head":
          break;
        case "write":
          this.#write(action.bytes);
          break;
        case "hold":
          if (await this.#orGone(this.#model.reached(this.#exchange, action.name)) === "gone") return;
          break;
        case "end":
          this.#body.close();
          this.#model.ended(this.#exchange, "finished");
          return;
        case "break":
          this.#body.fail(
            networkError(action.how === "reset" ? "ECONNRESET" : "UND_ERR_SOCKET", "terminated")
          );
          this.#model.ended(this.#exchange, "failed");
          return;
        case "stall":
          await this.#stall(action.keepAlive);
          return;
      }
    }
  }
  #write(bytes) {
    this.#exchange.sent.push(bytes);
    this.#body.push(bytes);
  }
  async #stall(keepAlive) {
    const timer = keepAlive === null ? void 0 : setInterval(() => this.#write(keepAlive), this.#keepAliveMs);
    timer?.unref();
    await this.#gone;
    clearInterval(timer);
  }
  #orGone(promise) {
    return Promise.race([promise.then(() => "on"), this.#gone]);
  }
};

// harness/model/sample-script.ts
var PLAIN = {
  key: "",
  position: { line: 1, column: 1 },
  text: "",
  reasoning: null,
  tools: [],
  finish: "stop",
  usage: null,
  pieces: null,
  hold: null,
  ends: null,
  fail: null,
  bytes: { crlf: false, merge: false, keepAlive: false },
  sees: [],
  lacks: [],
  adds: null,
  offers: [],
  withholds: []
};
function sampleReply(given) {
  const finish = given.finish ?? ((given.tools?.length ?? 0) > 0 ? "tool_calls" : "stop");
  return { ...PLAIN, ...given, finish };
}
function sampleConversation(name, opens, replies) {
  return {
    name,
    opens,
    replies: replies.map((reply, index) => sampleReply({ key: `${name}.${index + 1}`, ...reply }))
  };
}
function sampleScript(main, more = {}) {
  return {
    conversations: [sampleConversation("main", null, main), ...more.conversations ?? []],
    asides: more.asides ?? []
  };
}

// harness/model/utterance.ts
function utterance(text, calls) {
  return { text: text.trim(), calls };
}
function isEmpty(said) {
  return said.text === "" && said.calls.length === 0;
}
function sameArguments(carried, given) {
  if (carried === given) return true;
  const wanted = canonicalArguments(given);
  return wanted === null || canonicalArguments(carried) === wanted;
}
function canonicalArguments(written2) {
  if (written2.trim() === "") return "{}";
  try {
    return canonicalJson(JSON.parse(written2));
  } catch {
    return null;
  }
}
function canonicalJson(value) {
  return JSON.stringify(value, (_key, inner) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0));
  });
}

// harness/model/finished-replies.ts
var FinishedReplies = class {
  #byKey = /* @__PURE__ */ new Map();
  add(reply) {
    const key = keyOf(reply.said, reply.finish === "length");
    const bucket = this.#byKey.get(key);
    if (bucket === void 0) this.#byKey.set(key, [reply]);
    else bucket.push(reply);
  }
  /** Whether a message of a history equals one of them. */
  explain(said) {
    return this.#has(said, keyOf(said, false)) || this.#has(said, keyOf(said, true));
  }
  #has(said, key) {
    return this.#byKey.get(key)?.some((reply) => givesBack(said, reply)) ?? false;
  }
};
function keyOf(said, cutShort) {
  return cutShort ? `length\0${said.text}` : `${said.calls.map((call) => call.name).join("\0")}\0\0${said.text}`;
}
function givesBack(message, reply) {
  if (message.text !== reply.said.text) return false;
  if (reply.finish !== "length" && message.calls.length !== reply.said.calls.length) return false;
  return isSelection(message.calls, reply.said.calls);
}
function isSelection(some, all) {
  let next = 0;
  for (const call of all) {
    const wanted = some[next];
    if (wanted === void 0) break;
    if (wanted.name === call.name && sameArguments(wanted.arguments, call.arguments)) next += 1;
  }
  return next === some.length;
}

// harness/model/fill.ts
import { hash } from "node:crypto";
var USAGE = { input: 100, output: 10, cached: 0 };
function fillReply(facts) {
  const { reply } = facts;
  const usage = reply.usage ?? USAGE;
  return {
    text: filled(Array.isArray(reply.pieces) ? reply.pieces.join("") : reply.text, facts),
    reasoning: reply.reasoning === null ? null : filled(reply.reasoning, facts),
    calls: reply.tools.map((call, index) => filledCall(call, index, facts)),
    finish: reply.finish,
    usage: { input: usage.input, output: usage.output, cached: usage.cached ?? 0 }
  };
}
function filledCall(call, index, facts) {
  const written2 = call.arguments;
  const text = typeof written2 === "string" ? filled(written2, facts) : filled(JSON.stringify(written2), { ...facts, valueOf: (name) => insideJson(facts.valueOf(name)) });
  return { id: call.id ?? callId(facts, index), name: call.name, arguments: text };
}
function insideJson(value) {
  return value === null ? null : JSON.stringify(value).slice(1, -1);
}
function filled(text, facts) {
  if (!text.includes("{{")) return text;
  return text.replace(/\{\{([^{}]+)\}\}/g, (whole3, name) => facts.valueOf(name.trim()) ?? whole3);
}
function callId(facts, index) {
  const digest = hash("sha256", `${facts.use}/${index}`).slice(0, 20);
  return facts.callIdPrefix(index) + digest;
}

// harness/model/headers.ts
function headerValues(headers, name) {
  return headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}
var CREDENTIAL_HEADERS = [
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "api-key"
];
function credentialOf(value) {
  return value.replace(/^Bearer\s+/i, "").trim();
}
function carriesForeignCredential(headers, apiKey) {
  return CREDENTIAL_HEADERS.flatMap((name) => headerValues(headers, name)).map(credentialOf).some((value) => value !== "" && value !== apiKey);
}

// harness/model/holds.ts
var Holds = class {
  #waiting = [];
  #released = /* @__PURE__ */ new Set();
  /** Resolves when the hold is released; at once where it was released before. */
  reached(exchange, hold) {
    if (this.#released.has(hold)) return Promise.resolve();
    return new Promise((go) => {
      this.#waiting = [...this.#waiting, { exchange, hold, go }];
    });
  }
  /** Names, each once, in the order in which they were reached. */
  held() {
    return [...new Set(this.#waiting.map((waiting) => waiting.hold))];
  }
  heldBy(exchange) {
    return this.#waiting.find((waiting) => waiting.exchange === exchange)?.hold ?? null;
  }
  release(hold) {
    this.#released.add(hold);
    const free = this.#waiting.filter((waiting) => waiting.hold === hold);
    this.#waiting = this.#waiting.filter((waiting) => waiting.hold !== hold);
    for (const waiting of free) waiting.go();
  }
  /** Forgets an exchange that has ended; whoever waits for it goes on. */
  forget(exchange) {
    const gone = this.#waiting.filter((waiting) => waiting.exchange === exchange);
    if (gone.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting.exchange !== exchange);
    for (const waiting of gone) waiting.go();
  }
};

// harness/model/pieces.ts
var MOST_PIECES = 4;
var PIECE_LENGTH = 12;
function cutEvenly(text) {
  if (text.length <= PIECE_LENGTH) return [text];
  const count = Math.min(MOST_PIECES, Math.ceil(text.length / PIECE_LENGTH));
  const size = Math.ceil(text.length / count);
  const pieces = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + size, text.length);
    if (isHighSurrogate(text.charCodeAt(to - 1)) && to < text.length) to += 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
function isHighSurrogate(unit) {
  return unit >= 55296 && unit < 56320;
}
function piecesOf(reply, wire2, splitsArguments) {
  const texts = Array.isArray(reply.pieces) ? [...reply.pieces] : cutEvenly(wire2.text);
  return [
    ...cutEvenly(wire2.reasoning ?? "").filter((text) => text !== "").map((text) => ({ of: "reasoning", text })),
    ...texts.filter((text) => text !== "").map((text) => ({ of: "text", text })),
    ...wire2.calls.flatMap(
      (call, index) => (splitsArguments ? cutEvenly(call.arguments) : [call.arguments]).map((text) => ({
        of: "arguments",
        call: index,
        text
      }))
    )
  ];
}
function cutAt(pieces, text, side) {
  for (const run of runs(pieces)) {
    const found = run.text.indexOf(text);
    if (found < 0) continue;
    return cutRun(pieces, run.from, found + (side === "after" ? text.length : 0));
  }
  return null;
}
function runs(pieces) {
  const found = [];
  pieces.forEach((piece, index) => {
    const key = piece.of === "arguments" ? `call ${piece.call}` : piece.of;
    const last = found.at(-1);
    if (last?.key === key) last.text += piece.text;
    else found.push({ from: index, text: piece.text, key, rank: piece.of === "text" ? 0 : 1 });
  });
  return found.sort((a, b) => a.rank - b.rank);
}
function cutRun(pieces, from, offset) {
  const before = pieces.slice(0, from);
  const after = pieces.slice(from);
  let left = offset;
  for (let piece = after[0]; piece !== void 0 && left > 0; piece = after[0]) {
    after.shift();
    if (piece.text.length > left) after.unshift({ ...piece, text: piece.text.slice(left) });
    before.push({ ...piece, text: piece.text.slice(0, left) });
    left -= Math.min(left, piece.text.length);
  }
  return { pieces: [...before, ...after], count: before.length };
}

// harness/model/status-fault.ts
function statusFault(fault, wire2, now) {
  const plain = typeof fault.body === "string" ? fault.body : null;
  const body2 = plain ?? JSON.stringify(fault.body ?? wire2.errorBody(fault.status, null));
  const type = plain === null ? "application/json" : "text/plain; charset=utf-8";
  const retryAfter = fault.retryAfter === null ? [] : [["retry-after", retryAfterValue(fault.retryAfter, now)]];
  return [
    { do: "head", status: fault.status, headers: [["content-type", type], ...wire2.headers, ...retryAfter] },
    { do: "write", bytes: bytesOf(body2), apart: false },
    { do: "end" }
  ];
}
var UNITS = { ms: 1, s: 1e3, m: 6e4, h: 36e5 };
function retryAfterValue(value, now) {
  if (typeof value === "number") return String(value);
  const distance = /^([+-]?\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(value.date.trim());
  const unit = UNITS[distance?.[2] ?? ""];
  if (distance === null || unit === void 0) return value.date;
  return new Date(now() + Number(distance[1]) * unit).toUTCString();
}

// harness/model/plan.ts
function planReply(facts) {
  const { fail, hold } = facts.reply;
  const waiting = hold === null ? [] : [{ do: "hold", name: hold.name }];
  if (fail?.kind === "status") return [...waiting, ...statusFault(fail, facts.wire, facts.now)];
  const beforeHeaders = hold?.before === "headers" ? waiting : [];
  if (fail?.at === "connect") return [...beforeHeaders, ...strikeUnconnected(fail)];
  if (fail?.kind === "wrong-type") return [...beforeHeaders, ...wrongType(facts.wire)];
  return [...beforeHeaders, ...facts.context.request.stream ? streamed(facts, fail) : atOnce(facts, fail)];
}
function jsonAnswer(wire2, status, body2) {
  return [head(wire2, status, JSON_TYPE), write(JSON.stringify(body2)), END];
}
var END = { do: "end" };
var JSON_TYPE = "application/json";
function head(wire2, status, type) {
  return { do: "head", status, headers: [["content-type", type], ...wire2.headers] };
}
function write(text, apart = false) {
  return { do: "write", bytes: bytesOf(text), apart };
}
function strikeUnconnected(fault) {
  switch (fault.kind) {
    case "stall":
    case "hang":
      return [{ do: "stall", keepAlive: null }];
    case "disconnect":
      return [{ do: "break", how: "disconnect" }];
    default:
      return [{ do: "break", how: "reset" }];
  }
}
function wrongType(wire2) {
  return [
    head(wire2, 200, "text/html; charset=utf-8"),
    write("<!doctype html><title>Sign in</title><p>Sign in to this network.</p>\n"),
    END
  ];
}
function streamed(facts, fault) {
  const { reply, wire: wire2, context } = facts;
  const kind = wire2.framing(facts.request);
  const writer = new FrameWriter(kind, reply.bytes.crlf);
  const encoder = wire2.encoder(facts.wireReply, context);
  const apart = Array.isArray(reply.pieces);
  const { pieces, holdAfter } = withHold(reply, piecesOf(reply, facts.wireReply, wire2.splitsArguments));
  const strikesAfter = fault === null ? null : placeOf(fault, pieces.length);
  const actions = [
    head(wire2, 200, kind === "array" ? JSON_TYPE : "text/event-stream; charset=utf-8")
  ];
  const send = (text) => {
    if (text !== "") actions.push(write(text, apart));
  };
  for (let sent = 0; ; sent += 1) {
    if (holdAfter === sent && reply.hold !== null) actions.push({ do: "hold", name: reply.hold.name });
    if (fault !== null && strikesAfter === sent) {
      const ending2 = strike(fault, reply, { frames: (frames) => writer.frames(frames), writer, encoder });
      ending2.actions.forEach((action) => actions.push(action));
      if (ending2.over) return written(actions, reply);
    }
    if (sent === 0) send(writer.frames(encoder.start()));
    if (reply.bytes.keepAlive) send(writer.keepAlive());
    const piece = pieces[sent];
    if (piece === void 0) break;
    send(writer.frames(encoder.piece(piece)));
  }
  send(writer.frames(encoder.finish()) + writer.end());
  return written([...actions, END], reply);
}
function withHold(reply, pieces) {
  const { hold } = reply;
  if (hold === null || hold.before === "headers") return { pieces, holdAfter: null };
  const text = hold.after ?? hold.before;
  const cut = text === null ? null : cutAt(pieces, text, hold.after !== null ? "after" : "before");
  return cut === null ? { pieces, holdAfter: 0 } : { pieces: cut.pieces, holdAfter: cut.count };
}
function placeOf(fault, pieces) {
  if (typeof fault.at === "object") return Math.min(fault.at.piece, pieces);
  return fault.kind === "truncated" ? Math.ceil(pieces / 2) : fault.kind === "no-done" ? pieces : 0;
}
function strike(fault, reply, { writer, encoder }) {
  switch (fault.kind) {
    case "disconnect":
    case "reset":
      return { actions: [{ do: "break", how: fault.kind }], over: true };
    case "stall":
      return {
        actions: [{ do: "stall", keepAlive: reply.bytes.keepAlive ? bytesOf(writer.keepAlive()) : null }],
        over: true
      };
    case "hang":
      return { actions: [{ do: "stall", keepAlive: bytesOf(writer.keepAlive()) }], over: true };
    case "junk":
      return { actions: [write(writer.junk())], over: false };
    case "bad-json":
      return { actions: [write(writer.badJson(encoder.error()))], over: false };
    case "no-done":
      return { actions: [END], over: true };
    case "error-event":
      return { actions: [write(writer.frames(encoder.error()) + writer.end()), END], over: true };
    case "truncated":
      return { actions: [write(writer.frames(encoder.finish()) + writer.end()), END], over: true };
    case "wrong-type":
      return { actions: [END], over: true };
  }
}
function written(actions, reply) {
  const merged = reply.bytes.merge || typeof reply.pieces === "number" ? mergeWrites(actions) : [...actions];
  return typeof reply.pieces === "number" ? cutWrites(merged, reply.pieces) : merged;
}
function atOnce(facts, fault) {
  const { reply, wire: wire2, context } = facts;
  const waiting = reply.hold === null || reply.hold.before === "headers" ? [] : [{ do: "hold", name: reply.hold.name }];
  const body2 = JSON.stringify(wire2.whole(facts.wireReply, context));
  const half = body2.slice(0, Math.ceil(body2.length / 2));
  const opening2 = [head(wire2, 200, JSON_TYPE), ...waiting, ...reply.bytes.keepAlive ? [write("\n\n")] : []];
  const prefix = fault !== null && typeof fault.at === "object" ? [write(half)] : [];
  switch (fault?.kind) {
    case void 0:
      return written([...opening2, write(body2), END], reply);
    case "disconnect":
    case "reset":
      return [...opening2, ...prefix, { do: "break", how: fault?.kind ?? "reset" }];
    case "stall":
      return [
        ...opening2,
        ...prefix,
        { do: "stall", keepAlive: reply.bytes.keepAlive ? bytesOf("\n") : null }
      ];
    case "hang":
      return [...opening2, ...prefix, { do: "stall", keepAlive: bytesOf("\n") }];
    case "junk":
      return [...opening2, write("upstream connect error or disconnect before headers\n"), END];
    case "bad-json":
    case "truncated":
      return [...opening2, write(half), END];
    case "error-event":
      return [...opening2, write(JSON.stringify(wire2.errorBody(500, null))), END];
    case "no-done":
    case "wrong-type":
      return [...opening2, END];
  }
}

// harness/model/asides.ts
function fittingAsides(asides, request) {
  return asides.filter((aside) => isMeant(aside.when, request));
}
function isMeant(when, request) {
  const user = request.messages.findLast((message) => message.role === "user")?.text ?? "";
  const tools = request.tools.map((tool) => tool.name);
  return (when.system === null || request.system.some((text) => text.includes(when.system ?? ""))) && (when.user === null || user.includes(when.user)) && (when.model === null || request.model === when.model) && (when.tools === null || JSON.stringify(tools) === JSON.stringify(when.tools)) && (when.stream === null || request.stream === when.stream);
}

// harness/model/conversations.ts
function belongsTo(conversations, history, finished = finishedOf(conversations)) {
  const own = [];
  const kept = [];
  history.assistant.forEach((said, index) => {
    if (isEmpty(said)) return;
    if (finished.explain(said)) kept.push(said);
    else own.push(index);
  });
  const best = bestOf(conversations, history, kept);
  const [only] = best;
  if (best.length === 1 && only !== void 0) return { found: "one", name: only.name, own };
  return {
    found: best.length === 0 ? "none" : "several",
    names: best.map((conversation) => conversation.name),
    own
  };
}
function finishedOf(conversations) {
  const finished = new FinishedReplies();
  for (const { drawn } of conversations) {
    for (const reply of drawn) if (reply.outcome === "finished") finished.add(reply);
  }
  return finished;
}
function bestOf(conversations, history, kept) {
  const named = (conversation) => isNamed(conversation, history);
  const groups = [
    conversations.filter(named),
    conversations.filter(({ opens }) => opens === null),
    conversations.filter(
      (conversation) => conversation.opens !== null && conversation.drawn.length > 0 && !named(conversation)
    )
  ];
  for (const group of groups) {
    const fitting = group.filter((conversation) => fits(conversation.drawn, kept));
    const opened = fitting.filter((conversation) => conversation.drawn.length > 0);
    if (opened.length > 0) return opened;
    if (fitting.length > 0) return fitting;
  }
  return [];
}
function isNamed(conversation, history) {
  const { opens } = conversation;
  return opens !== null && history.users.some((user) => user.includes(opens));
}
function fits(drawn, messages) {
  let reached = /* @__PURE__ */ new Set([0]);
  for (const reply of drawn) {
    const next = /* @__PURE__ */ new Set();
    for (const index of reached) {
      const message = messages[index];
      if (message !== void 0 && repeats(message, reply)) next.add(index + 1);
      if (isOptional(reply)) next.add(index);
    }
    reached = next;
    if (reached.size === 0) return false;
  }
  return reached.has(messages.length);
}
function isOptional(reply) {
  return reply.outcome !== "finished" || reply.cancelledTurn || reply.finish === "content_filter" || isEmpty(reply.said);
}
function repeats(message, reply) {
  if (reply.outcome === "finished") return givesBack(message, reply);
  return reply.said.text.startsWith(message.text) && isSelection(message.calls, reply.said.calls);
}

// harness/model/request-text.ts
var LONGEST = 200;
function messageText(message) {
  if (message.role !== "assistant") return message.text;
  const calls = message.calls.map((call) => `${call.name} ${call.arguments}`);
  return [message.reasoning ?? "", message.text, ...calls].filter((part2) => part2 !== "").join("\n");
}
function messageLine(message) {
  switch (message.role) {
    case "user":
      return `user: ${quoted(message.text)}`;
    case "tool":
      return `tool result: ${quoted(message.text)}`;
    case "assistant":
      return saidLine(message.text, message.calls);
  }
}
function saidLine(text, calls) {
  const called = calls.map((call) => `${call.name} ${shortened(call.arguments)}`).join("; ");
  if (calls.length === 0) return `assistant: ${quoted(text)}`;
  return text === "" ? `assistant calls ${called}` : `assistant: ${quoted(text)}, calls ${called}`;
}
function historyLines(request, prefix, most = 12) {
  const from = Math.max(0, request.messages.length - most);
  const left = from === 0 ? [] : [`${prefix}\u2026 ${from} messages before`];
  return [...left, ...request.messages.slice(from).map((message) => prefix + messageLine(message))];
}
function quoted(text) {
  return JSON.stringify(shortened(text));
}
function shortened(text) {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST / 2)} \u2026 ${text.slice(-LONGEST / 2)}`;
}

// harness/model/expectations.ts
function unmet(reply, request) {
  const failed = (message, diff) => ({
    kind: "EXPECTATION_FAILED",
    key: reply.key,
    message: `${reply.key}: ${message}`,
    diff: diff.join("\n")
  });
  const seen = (sight) => textsAt(sight, request).some((text) => text.includes(sight.text));
  const tools = request.tools.map((tool) => tool.name);
  const toolLines = [`  tools: ${tools.length === 0 ? "(none)" : tools.join(", ")}`];
  return [
    ...reply.sees.filter((sight) => !seen(sight)).map(
      (sight) => failed(`${placeOf2(sight)} must contain ${quoted(sight.text)}.`, [
        `- ${quoted(sight.text)}`,
        ...shown(sight, request)
      ])
    ),
    ...reply.lacks.filter(seen).map(
      (sight) => failed(`${placeOf2(sight)} must not contain ${quoted(sight.text)}.`, [
        `+ ${quoted(sight.text)}`,
        ...shown(sight, request)
      ])
    ),
    ...reply.adds === null ? [] : wrongAdditions(reply.adds, request).map(
      (diff) => failed("other messages stand after the last assistant message.", diff)
    ),
    ...reply.offers.filter((name) => !tools.includes(name)).map((name) => failed(`the request must offer the tool ${name}.`, [`- ${name}`, ...toolLines])),
    ...reply.withholds.filter((name) => tools.includes(name)).map((name) => failed(`the request must not offer the tool ${name}.`, [`+ ${name}`, ...toolLines]))
  ];
}
function placeOf2(sight) {
  return sight.where === "system" ? "the system prompt" : "a message after the system prompt";
}
function textsAt(sight, request) {
  return sight.where === "system" ? request.system : request.messages.map(messageText);
}
function shown(sight, request) {
  if (sight.where === "messages") return historyLines(request, "  ");
  return request.system.length === 0 ? ["  (no system prompt)"] : request.system.map((text) => `  system: ${quoted(text)}`);
}
function wrongAdditions(adds, request) {
  const last = request.messages.findLastIndex((message) => message.role === "assistant");
  const added = request.messages.slice(last + 1);
  const fits2 = adds.length === added.length && adds.every((wanted, index) => isAdded(wanted, added[index]));
  if (fits2) return [];
  const wantedLines = adds.map(
    (wanted) => `- ${"tool" in wanted ? `tool result: ${quoted(wanted.tool)}` : `user: ${quoted(wanted.user)}`}`
  );
  return [[...wantedLines, ...added.map((message) => `+ ${messageLine(message)}`)]];
}
function isAdded(wanted, message) {
  if (message === void 0) return false;
  if ("tool" in wanted) return message.role === "tool" && message.text.includes(wanted.tool);
  return message.role === "user" && message.text.includes(wanted.user);
}

// harness/model/nearest.ts
import { diffArrays } from "diff";
function nearest(conversations, among, request) {
  const carried = carriedLines(request);
  const candidates = conversations.filter((conversation) => among.length === 0 || among.includes(conversation.name)).map((conversation) => ({ conversation, score: likeness(conversation, carried, request) })).sort((a, b) => b.score - a.score);
  const best = candidates[0]?.conversation;
  return best === void 0 ? null : { name: best.name, diff: difference(best, carried, request) };
}
function carriedLines(request) {
  return request.messages.filter((message) => message.role === "assistant").map((message) => utterance(message.text, message.calls)).map((said) => saidLine(said.text, said.calls));
}
function neededLines(conversation) {
  return conversation.drawn.filter((reply) => !isOptional(reply)).map(({ said }) => saidLine(said.text, said.calls));
}
function likeness(conversation, carried, request) {
  const needed = neededLines(conversation);
  const same = needed.findIndex((line, index) => carried[index] !== line);
  const { opens } = conversation;
  const named = opens === null ? 0.25 : request.messages.some((message) => message.role === "user" && message.text.includes(opens)) ? 0.5 : 0;
  return (same < 0 ? needed.length : same) + named;
}
function difference(conversation, carried, request) {
  const parts = diffArrays(neededLines(conversation), [...carried], { maxEditLength: 2e3 });
  if (parts === void 0 || parts.every((part2) => !part2.added && !part2.removed))
    return historyLines(request, "+ ").join("\n");
  return parts.flatMap((part2) => part2.value.map((line) => `${part2.added ? "+" : part2.removed ? "-" : " "} ${line}`)).join("\n");
}

// harness/model/prefix.ts
function prefixBreak(before, next) {
  const index = before.messages.findIndex((message, at) => !sameMessage(message, next.messages[at]));
  const was = before.messages[index];
  if (was === void 0) return null;
  const is = next.messages[index];
  const lines = [`- ${messageLine(was)}`, is === void 0 ? "+ (nothing)" : `+ ${messageLine(is)}`];
  return { index, diff: lines.join("\n") };
}
function sameMessage(a, b) {
  if (b === void 0 || a.role !== b.role || a.text !== b.text) return false;
  if (a.role === "tool") return b.role === "tool" && a.callId === b.callId;
  if (a.role === "user" || b.role !== "assistant") return true;
  return a.reasoning === b.reasoning && a.calls.length === b.calls.length && a.calls.every((call, index) => sameCall(call, b.calls[index]));
}
function sameCall(a, b) {
  return b !== void 0 && a.id === b.id && a.name === b.name && a.arguments === b.arguments;
}

// harness/model/provider-rules.ts
function breaches(request, rules, reasoned) {
  const found = [];
  const refuse = (message) => void found.push({ message, refused: true });
  const wantsReasoning = rules.wantsReasoningBack(request);
  request.messages.forEach((message, index) => {
    if (message.role !== "assistant") return;
    if (rules.refusesEmptyAssistant && message.text === "" && message.calls.length === 0) {
      refuse(`Message ${index} of the history is an assistant message with neither text nor call.`);
    }
    if (wantsReasoning && message.reasoning === null && message.calls.some((call) => reasoned.has(call.id))) {
      refuse(
        `Message ${index} of the history lacks its reasoning, which thinking mode wants back with its tool calls.`
      );
    }
  });
  return [...found, ...unpaired(request.messages)];
}
function unpaired(messages) {
  const found = [];
  let open = [];
  let answered = [];
  const close2 = () => {
    const untold = [...answered];
    const order = open.flatMap((call) => {
      const told = untold.indexOf(call.id);
      if (told >= 0) return untold.splice(told, 1);
      found.push({ message: `The call ${call.id} (${call.name}) has no result.`, refused: true });
      return [];
    });
    if (order.join("\n") !== answered.join("\n")) {
      found.push({
        message: `Results stand in the order ${answered.join(", ")}, their calls in the order ${order.join(", ")}.`,
        refused: false
      });
    }
    open = [];
    answered = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const { callId: callId2 } = message;
      const asked = open.filter((call) => call.id === callId2).length;
      const told = answered.filter((id) => id === callId2).length;
      if (told < asked) answered.push(callId2);
      else if (asked > 0)
        found.push({ message: `The call ${callId2} has more than one result.`, refused: true });
      else
        found.push({
          message: `A result names the call ${callId2}, which no message right before it makes.`,
          refused: true
        });
      continue;
    }
    close2();
    if (message.role === "assistant") open = message.calls;
  }
  close2();
  return found;
}

// harness/model/wires/wire.ts
var UnreadableRequest = class extends Error {
  code = "UNREADABLE_REQUEST";
  constructor(message) {
    super(message);
    this.name = "UnreadableRequest";
  }
};
function pathOf(request) {
  return request.path.split("?", 1)[0] ?? "";
}
var decoder = new TextDecoder();
function jsonBody(request) {
  try {
    return JSON.parse(decoder.decode(request.body));
  } catch (error) {
    throw new UnreadableRequest(
      `The body is no JSON: ${error instanceof Error ? error.message : String(error)}`
    );
  }
}
var CREATED = 1767225600;

// harness/model/respond.ts
function decide(state, request, wire2) {
  if (state.missed !== null) {
    return refusal(null, `Request ${state.missed} was not in the script; the run is over.`, []);
  }
  if (!wire2.accepts(request)) {
    const startup4 = wire2.startup(request) ?? probe(request);
    if (startup4 !== null) return { is: "startup", startup: startup4 };
    return miss(
      null,
      `${request.method} ${request.path} is no request of the wire ${wire2.name}.`,
      "main",
      null
    );
  }
  let neutral;
  try {
    neutral = wire2.decode(request);
  } catch (error) {
    if (!(error instanceof UnreadableRequest)) throw error;
    return miss(null, `The wire ${wire2.name} can't read this request: ${error.message}`, "main", null);
  }
  return asideDecision(state, neutral) ?? conversationDecision(state, neutral, wire2);
}
function probe(request) {
  const isRoot = request.path === "" || request.path === "/";
  return isRoot && (request.method === "GET" || request.method === "HEAD") ? { what: "probe", body: {} } : null;
}
function refusal(neutral, message, findings) {
  return { is: "refusal", neutral, own: [], message, findings, conversation: null };
}
function miss(neutral, message, key, diff) {
  return refusal(neutral, message, [{ kind: "UNEXPECTED_REQUEST", key, message, diff }]);
}
function asideDecision(state, neutral) {
  const fitting = fittingAsides(
    state.asides.map((aside) => aside.script),
    neutral
  );
  const [script] = fitting;
  if (script === void 0) return null;
  if (fitting.length > 1) {
    const names = fitting.map((aside) => aside.name).join(" and ");
    const message = `The asides ${names} both fit this request; make their \`when\` tell them apart.`;
    return miss(neutral, message, `aside.${script.name}`, historyLines(neutral, "+ ").join("\n"));
  }
  const used = state.asides.find((aside) => aside.script === script)?.used ?? 0;
  const index = Math.min(used, script.replies.length - 1);
  const reply = script.replies[index];
  if (reply === void 0)
    return miss(neutral, `The aside ${script.name} has no replies.`, `aside.${script.name}`, null);
  const attribution = { to: "aside", name: script.name, reply: index + 1 };
  return { is: "reply", attribution, neutral, reply, own: [], findings: unmet(reply, neutral) };
}
function conversationDecision(state, neutral, wire2) {
  const conversations = state.conversations.map(({ script, drawn }) => ({
    name: script.name,
    opens: script.opens,
    drawn
  }));
  const history = {
    users: neutral.messages.flatMap((message) => message.role === "user" ? [message.text] : []),
    assistant: neutral.messages.flatMap(
      (message) => message.role === "assistant" ? [utterance(message.text, message.calls)] : []
    )
  };
  const belonging = belongsTo(conversations, history, state.finished);
  const own = ownMessages(neutral, belonging.own);
  if (belonging.found !== "one") {
    const near = nearest(conversations, belonging.names, neutral);
    return {
      ...miss(
        neutral,
        homeless(belonging, near?.name ?? null),
        near === null ? "main" : nextKey(state, near.name),
        near?.diff ?? null
      ),
      own
    };
  }
  const conversation = state.conversations.find(({ script }) => script.name === belonging.name);
  if (conversation === void 0) throw new Error(`The rule named ${belonging.name}, which no script has.`);
  return { ...draw(state, conversation, neutral, wire2), own };
}
function ownMessages(neutral, own) {
  if (own.length === 0) return [];
  const assistant = neutral.messages.flatMap(
    (message, index) => message.role === "assistant" ? [index] : []
  );
  return own.flatMap((index) => assistant[index] ?? []);
}
function homeless(belonging, near) {
  if (belonging.found === "several") {
    return `This request fits the conversations ${belonging.names.join(" and ")} alike; give them opening texts that tell them apart.`;
  }
  return near === null ? "The script has no conversation." : `This request belongs to no conversation of the script. Nearest is ${near}: - is what its history has to carry, + what the request carries.`;
}
function nextKey(state, name) {
  const conversation = state.conversations.find(({ script }) => script.name === name);
  const replies = conversation?.script.replies ?? [];
  return (replies[conversation?.drawn.length ?? 0] ?? replies.at(-1))?.key ?? name;
}
function draw(state, conversation, neutral, wire2) {
  const { script, drawn, last } = conversation;
  const reply = script.replies[drawn.length];
  if (reply === void 0) {
    const all = script.replies.length;
    const message = `${script.name} has used up ${drawn.length} of ${all} ${all === 1 ? "reply" : "replies"}, and the subject asks once more.`;
    return miss(
      neutral,
      message,
      script.replies.at(-1)?.key ?? script.name,
      historyLines(neutral, "+ ").join("\n")
    );
  }
  const broken = brokenPrefix(state, script, reply, last, neutral);
  const breached = breaches(neutral, wire2.rules, state.reasoned);
  const findings = [
    ...broken,
    ...breached.map(({ message }) => ({
      kind: "EXPECTATION_FAILED",
      key: reply.key,
      message: `${reply.key}: ${message}`,
      diff: historyLines(neutral, "+ ").join("\n")
    }))
  ];
  const refused = breached.find((breach) => breach.refused);
  if (refused !== void 0) {
    return { is: "refusal", neutral, own: [], message: refused.message, findings, conversation: script.name };
  }
  const attribution = { to: "conversation", name: script.name, reply: drawn.length + 1 };
  return {
    is: "reply",
    attribution,
    neutral,
    reply,
    own: [],
    findings: [...findings, ...unmet(reply, neutral)]
  };
}
function brokenPrefix(state, script, reply, last, neutral) {
  const broken = last === null || state.rewrites.includes(script.name) ? null : prefixBreak(last, neutral);
  if (broken === null) return [];
  const message = `${script.name}: the request for ${reply.key} does not extend the one before; message ${broken.index} of the history differs.`;
  return [{ kind: "PREFIX_BROKEN", key: script.name, message, diff: broken.diff }];
}

// harness/model/uses.ts
function untoldUses(uses, facts) {
  return uses.flatMap((use) => {
    const finding = verdictOn(use, facts.heldBy(use.exchange));
    return finding === null ? [] : [finding];
  });
}
function verdictOn({ exchange, reply }, heldBy) {
  const { key } = reply;
  const told = (kind, message) => ({
    kind,
    key,
    message: `${key}: ${message}`,
    diff: null
  });
  if (reply.ends === "cancelled") {
    if (exchange.outcome === "cut") return null;
    const how = exchange.outcome === "open" ? "it is still open" : `it ${exchange.outcome}`;
    return told("EXPECTATION_FAILED", `the subject must close this request before its end; ${how}.`);
  }
  if (heldBy !== null)
    return told(
      "UNRELEASED_HOLD",
      `the hold ${heldBy} was reached and never released. Add \`release: ${heldBy}\`, or \`ends: cancelled\` where the subject is to close the request.`
    );
  if (reply.fail !== null) return null;
  if (exchange.outcome === "cut")
    return told(
      "UNUSED_REPLY",
      "the subject hung up before this reply had ended. Where that is meant, say `ends: cancelled`."
    );
  return exchange.outcome === "open" ? told("UNUSED_REPLY", "this reply was begun and had not ended when the run did.") : null;
}
function unusedReplies(script, used) {
  if (used.missed) return [];
  const conversations = script.conversations.flatMap(({ name, replies }) => {
    const drawn = used.drawn.get(name) ?? 0;
    if (used.refusedIn.has(name)) return [];
    if (drawn === 0 && replies.length > 0 && name !== "main") {
      return [
        unused(
          name,
          `The conversation ${name} was never opened; its ${replies.length} ${replies.length === 1 ? "reply is" : "replies are"} unused.`
        )
      ];
    }
    return replies.slice(drawn).map(
      (reply) => unused(
        reply.key,
        `${reply.key} was never asked for: ${name} drew ${drawn} of ${replies.length} replies.`
      )
    );
  });
  const asides = script.asides.filter(({ name }) => !used.usedAsides.has(name) && !used.optionalAsides.includes(name)).map(({ name }) => unused(`aside.${name}`, `The aside ${name} was never asked for.`));
  return [...conversations, ...asides];
}
function unused(key, message) {
  return { kind: "UNUSED_REPLY", key, message, diff: null };
}

// harness/model/wires/anthropic-messages.ts
import { z as z2 } from "zod";

// harness/model/wires/content.ts
import { z } from "zod";
var jsonValue = z.custom((value) => value !== void 0);
var contentParts = z.array(z.looseObject({ type: z.string(), text: z.string().optional() }));
var content = z.union([z.string(), z.null(), contentParts]);
function contentText(value) {
  if (value === void 0 || value === null) return "";
  if (typeof value === "string") return value;
  return value.map((part2) => part2.text ?? `[${part2.type}]`).join("\n");
}
function parametersOf(body2, without) {
  return Object.fromEntries(Object.entries(body2).filter(([key]) => !without.includes(key)));
}

// harness/model/wires/anthropic-messages.ts
var textBlock = z2.looseObject({ type: z2.string(), text: z2.string().optional() });
var block = z2.looseObject({
  type: z2.string(),
  text: z2.string().optional(),
  thinking: z2.string().optional(),
  id: z2.string().optional(),
  name: z2.string().optional(),
  input: jsonValue.optional(),
  tool_use_id: z2.string().optional(),
  content: z2.union([z2.string(), z2.array(textBlock)]).optional()
});
var requestBody = z2.looseObject({
  model: z2.string(),
  max_tokens: z2.number(),
  stream: z2.boolean().nullish(),
  system: z2.union([z2.string(), z2.array(textBlock)]).nullish(),
  messages: z2.array(
    z2.looseObject({
      role: z2.enum(["user", "assistant", "system"]),
      content: z2.union([z2.string(), z2.array(block)])
    })
  ),
  tools: z2.array(z2.looseObject({ name: z2.string() })).nullish()
});
var anthropicMessages = {
  name: "anthropic-messages",
  accepts: (request) => request.method === "POST" && pathOf(request).endsWith("/messages"),
  startup,
  decode,
  encoder: (reply, context) => new MessagesEncoder(reply, context),
  whole,
  errorBody,
  headers: [["request-id", `req_${"0".repeat(24)}`]],
  framing: () => "events",
  splitsArguments: true,
  callIdPrefix: () => "toolu_",
  rules: {
    refusesEmptyAssistant: true,
    wantsReasoningBack: (request) => {
      const { thinking } = request.parameters;
      return typeof thinking === "object" && thinking !== null && "type" in thinking && thinking.type !== "disabled";
    }
  }
};
function startup(request) {
  const path = pathOf(request);
  if (request.method === "POST" && path.endsWith("/messages/count_tokens"))
    return { what: "count_tokens", body: { input_tokens: 100 } };
  if (request.method !== "GET" || !/\/models(\/[^/]+)?$/.test(path)) return null;
  const model = {
    type: "model",
    id: "scripted",
    display_name: "Scripted",
    created_at: "2026-01-01T00:00:00Z"
  };
  const list = { data: [model], has_more: false, first_id: "scripted", last_id: "scripted" };
  return { what: "models", body: path.endsWith("/models") ? list : model };
}
function decode(request) {
  const parsed = requestBody.safeParse(jsonBody(request));
  if (!parsed.success) throw new UnreadableRequest(z2.prettifyError(parsed.error));
  const body2 = parsed.data;
  const system = typeof body2.system === "string" ? [body2.system] : (body2.system ?? []).map((part2) => part2.text ?? "");
  const messages = [];
  let userSeen = false;
  for (const message of body2.messages) {
    const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    if (message.role === "user") userSeen = true;
    if (message.role === "assistant") messages.push(assistantMessage(blocks));
    else if (message.role === "system" && !userSeen) system.push(textOf(blocks));
    else messages.push(...userMessages(blocks));
  }
  return {
    model: body2.model,
    stream: body2.stream === true,
    system,
    messages,
    tools: (body2.tools ?? []).map((tool) => ({ name: tool.name, schema: jsonValue.parse(tool) })),
    parameters: parametersOf(body2, ["messages", "system", "tools"])
  };
}
function textOf(blocks) {
  return blocks.map((part2) => part2.text ?? `[${part2.type}]`).join("\n");
}
function userMessages(blocks) {
  const results = blocks.filter((part2) => part2.type === "tool_result");
  const said = blocks.filter((part2) => part2.type !== "tool_result");
  return [
    ...results.map((part2) => ({
      role: "tool",
      callId: part2.tool_use_id ?? "",
      text: resultText(part2)
    })),
    ...said.length > 0 || results.length === 0 ? [{ role: "user", text: textOf(said) }] : []
  ];
}
function resultText(part2) {
  return typeof part2.content === "string" ? part2.content : textOf(part2.content ?? []);
}
function assistantMessage(blocks) {
  const thoughts = blocks.filter((part2) => part2.type === "thinking");
  return {
    role: "assistant",
    text: blocks.filter((part2) => part2.type === "text").map((part2) => part2.text ?? "").join(""),
    reasoning: thoughts.length === 0 ? null : thoughts.map((part2) => part2.thinking ?? "").join(""),
    calls: blocks.flatMap(
      (part2) => part2.type === "tool_use" ? [{ id: part2.id ?? "", name: part2.name ?? "", arguments: JSON.stringify(part2.input ?? {}) }] : []
    )
  };
}
var MessagesEncoder = class {
  #reply;
  #context;
  /** What the open block holds: `text`, `reasoning`, or the index of a call. */
  #open = null;
  #index = -1;
  constructor(reply, context) {
    this.#reply = reply;
    this.#context = context;
  }
  start() {
    const usage = { ...inputUsage(this.#reply), output_tokens: 1 };
    return [
      event({
        type: "message_start",
        message: {
          ...messageHead(this.#context),
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage
        }
      })
    ];
  }
  piece(piece) {
    switch (piece.of) {
      case "reasoning":
        return [
          ...this.#turnTo("reasoning", { type: "thinking", thinking: "", signature: "" }),
          this.#delta({ type: "thinking_delta", thinking: piece.text })
        ];
      case "text":
        return [
          ...this.#turnTo("text", { type: "text", text: "" }),
          this.#delta({ type: "text_delta", text: piece.text })
        ];
      case "arguments": {
        const call = this.#reply.calls[piece.call];
        const block2 = { type: "tool_use", id: call?.id ?? "", name: call?.name ?? "", input: {} };
        const written2 = piece.text === "{}" ? "" : piece.text;
        return [
          ...this.#turnTo(`call ${piece.call}`, block2),
          this.#delta({ type: "input_json_delta", partial_json: written2 })
        ];
      }
    }
  }
  finish() {
    const delta = { stop_reason: stopReason(this.#reply.finish), stop_sequence: null };
    const usage = { ...inputUsage(this.#reply), output_tokens: this.#reply.usage.output };
    return [
      ...this.#close(),
      event({ type: "message_delta", delta, usage }),
      event({ type: "message_stop" })
    ];
  }
  error() {
    return [event(errorBody(529, null))];
  }
  #turnTo(what, contentBlock) {
    if (this.#open === what) return [];
    const closing = this.#close();
    this.#open = what;
    this.#index += 1;
    return [
      ...closing,
      event({ type: "content_block_start", index: this.#index, content_block: contentBlock })
    ];
  }
  #close() {
    if (this.#open === null) return [];
    const signature = this.#open === "reasoning" ? [this.#delta({ type: "signature_delta", signature: SIGNATURE })] : [];
    this.#open = null;
    return [...signature, event({ type: "content_block_stop", index: this.#index })];
  }
  #delta(delta) {
    return event({ type: "content_block_delta", index: this.#index, delta });
  }
};
var SIGNATURE = Buffer.from("a signature of the scripted model").toString("base64");
function event(data) {
  return { event: String(data["type"]), data: JSON.stringify(data) };
}
function messageHead(context) {
  return {
    id: `msg_${String(context.exchange).padStart(24, "0")}`,
    type: "message",
    role: "assistant",
    model: context.request.model
  };
}
function inputUsage(reply) {
  const { input, cached } = reply.usage;
  return { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
}
function stopReason(finish) {
  switch (finish) {
    case "stop":
      return "end_turn";
    case "tool_calls":
      return "tool_use";
    case "length":
      return "max_tokens";
    case "content_filter":
      return "refusal";
  }
}
function whole(reply, context) {
  const content2 = [
    ...reply.reasoning === null ? [] : [{ type: "thinking", thinking: reply.reasoning, signature: SIGNATURE }],
    ...reply.text === "" ? [] : [{ type: "text", text: reply.text }],
    ...reply.calls.map((call) => ({
      type: "tool_use",
      id: call.id,
      name: call.name,
      input: parsedInput(call.arguments)
    }))
  ];
  const usage = { ...inputUsage(reply), output_tokens: reply.usage.output };
  return {
    ...messageHead(context),
    content: content2,
    stop_reason: stopReason(reply.finish),
    stop_sequence: null,
    usage
  };
}
function parsedInput(written2) {
  if (written2.trim() === "") return {};
  try {
    return jsonValue.parse(JSON.parse(written2));
  } catch {
    return written2;
  }
}
var TYPES = {
  400: ["invalid_request_error", "Invalid request"],
  401: ["authentication_error", "invalid x-api-key"],
  402: ["billing_error", "Payment required"],
  403: ["permission_error", "Not permitted"],
  404: ["not_found_error", "Not found"],
  413: ["request_too_large", "Request exceeds the maximum size"],
  422: ["invalid_request_error", "Invalid request"],
  429: ["rate_limit_error", "Rate limit exceeded"],
  529: ["overloaded_error", "Overloaded"]
};
function errorBody(status, message) {
  const [type, usual] = TYPES[status] ?? ["api_error", "Internal server error"];
  return { type: "error", error: { type, message: message ?? usual }, request_id: `req_${"0".repeat(24)}` };
}

// harness/model/wires/chat-completions.ts
import { z as z3 } from "zod";
var requestBody2 = z3.looseObject({
  model: z3.string(),
  stream: z3.boolean().nullish(),
  messages: z3.array(
    z3.looseObject({
      role: z3.enum(["system", "developer", "user", "assistant", "tool"]),
      content: content.optional(),
      reasoning_content: z3.string().nullish(),
      tool_call_id: z3.string().optional(),
      tool_calls: z3.array(
        z3.looseObject({
          id: z3.string(),
          function: z3.looseObject({ name: z3.string(), arguments: z3.string() })
        })
      ).nullish()
    })
  ),
  tools: z3.array(z3.looseObject({ function: z3.looseObject({ name: z3.string() }) })).nullish()
});
var chatCompletions = wire("deepseek");
var openaiChatCompletions = wire("openai");
function wire(dialect) {
  const deepseek = dialect === "deepseek";
  return {
    name: deepseek ? "chat-completions" : "openai-chat-completions",
    accepts: (request) => request.method === "POST" && pathOf(request).endsWith("/chat/completions"),
    startup: startup2,
    decode: decode2,
    encoder: (reply, context) => new ChatEncoder(dialect, reply, context),
    whole: (reply, context) => whole2(dialect, reply, context),
    errorBody: (status, message) => errorBody2(dialect, status, message),
    headers: deepseek ? [["x-ds-trace-id", "0".repeat(32)]] : [["x-request-id", `req_${"0".repeat(32)}`]],
    framing: () => "events",
    splitsArguments: true,
    callIdPrefix: (index) => deepseek ? `call_${String(index).padStart(2, "0")}_` : "call_",
    rules: {
      refusesEmptyAssistant: deepseek,
      wantsReasoningBack: (request) => deepseek && thinks(request)
    }
  };
}
function startup2(request) {
  if (request.method !== "GET" || !/\/models(\/[^/]+)?$/.test(pathOf(request))) return null;
  const model = { id: "scripted", object: "model", created: CREATED, owned_by: "turnpin" };
  return {
    what: "models",
    body: pathOf(request).endsWith("/models") ? { object: "list", data: [model] } : model
  };
}
function thinks(request) {
  const { thinking } = request.parameters;
  const type = typeof thinking === "object" && thinking !== null && "type" in thinking ? thinking.type : "enabled";
  return type !== "disabled";
}
function decode2(request) {
  const parsed = requestBody2.safeParse(jsonBody(request));
  if (!parsed.success) throw new UnreadableRequest(z3.prettifyError(parsed.error));
  const body2 = parsed.data;
  const system = [];
  const messages = [];
  let userSeen = false;
  for (const message of body2.messages) {
    if (message.role === "user") userSeen = true;
    if (!userSeen && (message.role === "system" || message.role === "developer"))
      system.push(contentText(message.content));
    else messages.push(neutralMessage(message));
  }
  return {
    model: body2.model,
    stream: body2.stream === true,
    system,
    messages,
    tools: (body2.tools ?? []).map((tool) => ({ name: tool.function.name, schema: jsonValue.parse(tool) })),
    parameters: parametersOf(body2, ["messages", "tools"])
  };
}
function neutralMessage(message) {
  const text = contentText(message.content);
  switch (message.role) {
    case "system":
    case "developer":
    case "user":
      return { role: "user", text };
    case "tool":
      if (message.tool_call_id === void 0)
        throw new UnreadableRequest("A tool message has no tool_call_id.");
      return { role: "tool", callId: message.tool_call_id, text };
    case "assistant":
      return {
        role: "assistant",
        text,
        reasoning: message.reasoning_content ?? null,
        calls: (message.tool_calls ?? []).map(({ id, function: call }) => ({
          id,
          name: call.name,
          arguments: call.arguments
        }))
      };
  }
}
var ChatEncoder = class {
  #dialect;
  #reply;
  #head;
  #before;
  #usage;
  /** OpenAI's own dialect never shows reasoning. */
  #thinks;
  #opened = -1;
  constructor(dialect, reply, context) {
    this.#dialect = dialect;
    this.#reply = reply;
    this.#usage = asksForUsage(context.request);
    this.#thinks = dialect === "deepseek" && reply.reasoning !== null;
    this.#head = {
      id: replyId(dialect, context),
      object: "chat.completion.chunk",
      created: CREATED,
      model: context.request.model,
      system_fingerprint: FINGERPRINT
    };
    this.#before = `${JSON.stringify(this.#head).slice(0, -1)},"choices":[{"index":0,"delta":`;
  }
  start() {
    if (this.#dialect === "openai") return [this.#delta({ role: "assistant", content: "", refusal: null })];
    if (!this.#thinks) return [this.#delta({ role: "assistant", content: "" })];
    return [this.#delta({ role: "assistant", content: null, reasoning_content: "" })];
  }
  piece(piece) {
    switch (piece.of) {
      case "reasoning":
        return this.#thinks ? [this.#delta({ content: null, reasoning_content: piece.text })] : [];
      case "text":
        return [this.#delta(this.#text(piece.text))];
      case "arguments":
        return [...this.#openCall(piece.call), ...this.#arguments(piece.call, piece.text)];
    }
  }
  finish() {
    const reason = this.#reply.finish;
    const last = this.#dialect === "deepseek" ? this.#text("") : {};
    if (!this.#usage) return [this.#delta(last, reason), DONE];
    const usage = usageOf(this.#dialect, this.#reply);
    if (this.#dialect === "deepseek") return [this.#delta(last, reason, usage), DONE];
    return [this.#delta(last, reason), frame({ ...this.#head, choices: [], usage }), DONE];
  }
  error() {
    return [frame(errorBody2(this.#dialect, 500, null))];
  }
  #text(content2) {
    return this.#thinks ? { content: content2, reasoning_content: null } : { content: content2 };
  }
  #openCall(index) {
    const call = this.#reply.calls[index];
    if (call === void 0 || index <= this.#opened) return [];
    this.#opened = index;
    const opening2 = { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
    return [this.#delta({ tool_calls: [opening2] })];
  }
  #arguments(index, text) {
    return text === "" ? [] : [this.#delta({ tool_calls: [{ index, function: { arguments: text } }] })];
  }
  /** The same text before and behind every delta, so that only the delta itself is written anew. */
  #delta(delta, finishReason2 = null, usage = null) {
    const open = `${this.#before}${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finishReason2)}}]`;
    return { event: null, data: this.#usage ? `${open},"usage":${JSON.stringify(usage)}}` : `${open}}` };
  }
};
var DONE = { event: null, data: "[DONE]" };
var FINGERPRINT = "fp_scripted";
function frame(data) {
  return { event: null, data: JSON.stringify(data) };
}
function replyId(dialect, context) {
  const number = String(context.exchange);
  return dialect === "deepseek" ? `00000000-0000-4000-8000-${number.padStart(12, "0")}` : `chatcmpl-${number.padStart(24, "0")}`;
}
function asksForUsage(request) {
  const options = request.parameters["stream_options"];
  return typeof options === "object" && options !== null && "include_usage" in options && options.include_usage === true;
}
function usageOf(dialect, reply) {
  const { input, output, cached } = reply.usage;
  const common = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached }
  };
  if (dialect === "openai") return { ...common, completion_tokens_details: { reasoning_tokens: 0 } };
  const caches = { prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: input - cached };
  if (reply.reasoning === null) return { ...common, ...caches };
  return { ...common, ...caches, completion_tokens_details: { reasoning_tokens: Math.floor(output / 2) } };
}
function whole2(dialect, reply, context) {
  const calls = reply.calls.map((call, index) => ({
    ...dialect === "deepseek" ? { index } : {},
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments }
  }));
  const message = {
    role: "assistant",
    content: dialect === "openai" && reply.text === "" && calls.length > 0 ? null : reply.text,
    ...dialect === "openai" ? { refusal: null } : {},
    ...dialect === "deepseek" && reply.reasoning !== null ? { reasoning_content: reply.reasoning } : {},
    ...calls.length > 0 ? { tool_calls: calls } : {}
  };
  return {
    id: replyId(dialect, context),
    object: "chat.completion",
    created: CREATED,
    model: context.request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reply.finish }],
    usage: usageOf(dialect, reply),
    system_fingerprint: FINGERPRINT
  };
}
var MESSAGES = {
  400: "Invalid request",
  401: "Authentication Fails, Your api key is invalid",
  402: "Insufficient Balance",
  413: "Request entity too large",
  422: "Invalid parameters",
  429: "Rate limit reached for requests",
  500: "Server error",
  503: "Service is too busy"
};
function errorBody2(dialect, status, message) {
  const text = message ?? MESSAGES[status] ?? `Request failed with status ${status}`;
  const type = errorType(status);
  const code = dialect === "deepseek" ? "invalid_request_error" : null;
  return { error: { message: text, type, param: null, code } };
}
function errorType(status) {
  if (status === 401) return "authentication_error";
  if (status === 402) return "insufficient_balance";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

// harness/model/wires/gemini.ts
import { z as z4 } from "zod";
var part = z4.looseObject({
  text: z4.string().optional(),
  thought: z4.boolean().optional(),
  functionCall: z4.looseObject({ id: z4.string().optional(), name: z4.string(), args: jsonValue.optional() }).optional(),
  functionResponse: z4.looseObject({ id: z4.string().optional(), name: z4.string(), response: jsonValue.optional() }).optional()
});
var contentSchema = z4.looseObject({ role: z4.string().optional(), parts: z4.array(part).nullish() });
var requestBody3 = z4.looseObject({
  contents: z4.array(contentSchema),
  systemInstruction: z4.union([contentSchema, z4.string()]).nullish(),
  tools: z4.array(z4.looseObject({ functionDeclarations: z4.array(z4.looseObject({ name: z4.string() })).nullish() })).nullish()
});
var METHOD = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;
var gemini = {
  name: "gemini",
  accepts: (request) => request.method === "POST" && METHOD.test(pathOf(request)),
  startup: startup3,
  decode: decode3,
  encoder: (reply, context) => new GeminiEncoder(reply, context),
  whole: (reply, context) => chunk(reply, context, allParts(reply), true),
  errorBody: errorBody3,
  headers: [],
  framing: (request) => new URLSearchParams(request.path.split("?")[1] ?? "").get("alt") === "sse" ? "events" : "array",
  splitsArguments: false,
  callIdPrefix: () => "fc_",
  rules: { refusesEmptyAssistant: false, wantsReasoningBack: () => false }
};
function startup3(request) {
  const path = pathOf(request);
  if (request.method === "POST" && path.endsWith(":countTokens"))
    return { what: "count_tokens", body: { totalTokens: 100 } };
  if (request.method !== "GET" || !/\/models(\/[^/]+)?$/.test(path)) return null;
  const model = {
    name: "models/scripted",
    version: "1",
    displayName: "Scripted",
    supportedGenerationMethods: ["generateContent"]
  };
  return { what: "models", body: path.endsWith("/models") ? { models: [model] } : model };
}
function decode3(request) {
  const parsed = requestBody3.safeParse(jsonBody(request));
  if (!parsed.success) throw new UnreadableRequest(z4.prettifyError(parsed.error));
  const body2 = parsed.data;
  const [, model = "", method = ""] = METHOD.exec(pathOf(request)) ?? [];
  const { systemInstruction } = body2;
  const system = typeof systemInstruction === "string" ? [systemInstruction] : textsOf(systemInstruction?.parts ?? []);
  return {
    model,
    stream: method === "streamGenerateContent",
    system,
    messages: new History().read(body2.contents),
    tools: (body2.tools ?? []).flatMap(
      (tool) => (tool.functionDeclarations ?? []).map((declared) => ({
        name: declared.name,
        schema: jsonValue.parse(declared)
      }))
    ),
    parameters: parametersOf(body2, ["contents", "systemInstruction", "tools"])
  };
}
function textsOf(parts) {
  return parts.flatMap((each) => each.text === void 0 || each.thought === true ? [] : [each.text]);
}
var History = class {
  #messages = [];
  #waiting = [];
  #calls = 0;
  read(contents) {
    for (const { role, parts } of contents) {
      if (role === "model") this.#addModel(parts ?? []);
      else this.#addUser(parts ?? []);
    }
    return this.#messages;
  }
  #addModel(parts) {
    const thoughts = parts.filter((each) => each.thought === true).map((each) => each.text ?? "");
    const calls = parts.flatMap(
      ({ functionCall }) => functionCall === void 0 ? [] : [this.#call(functionCall)]
    );
    this.#waiting = [...calls];
    this.#messages.push({
      role: "assistant",
      text: textsOf(parts).join(""),
      reasoning: thoughts.length === 0 ? null : thoughts.join(""),
      calls
    });
  }
  #call(given) {
    this.#calls += 1;
    return {
      id: given.id ?? `call-${this.#calls}`,
      name: given.name,
      arguments: JSON.stringify(given.args ?? {})
    };
  }
  #addUser(parts) {
    const results = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    for (const result of results) {
      const at = this.#waiting.findIndex(
        (call2) => result.id === void 0 ? call2.name === result.name : call2.id === result.id
      );
      const [call] = at < 0 ? [] : this.#waiting.splice(at, 1);
      this.#messages.push({
        role: "tool",
        callId: call?.id ?? result.id ?? result.name,
        text: resultText2(result.response)
      });
    }
    const said = parts.filter((each) => each.functionResponse === void 0).map((each) => each.text ?? "[part]");
    if (said.length > 0 || results.length === 0) this.#messages.push({ role: "user", text: said.join("\n") });
  }
};
function resultText2(response) {
  const said = z4.looseObject({ output: z4.string() }).safeParse(response);
  return said.success ? said.data.output : JSON.stringify(response ?? {});
}
var GeminiEncoder = class {
  #reply;
  #context;
  constructor(reply, context) {
    this.#reply = reply;
    this.#context = context;
  }
  /** The wire opens no message: the first piece is the first chunk. */
  start() {
    return [];
  }
  piece(piece) {
    switch (piece.of) {
      case "reasoning":
        return [this.#frame([{ text: piece.text, thought: true }])];
      case "text":
        return [this.#frame([{ text: piece.text }])];
      case "arguments":
        return [this.#frame([callPart(this.#reply.calls[piece.call], piece.text)])];
    }
  }
  finish() {
    return [this.#frame([{ text: "" }], true)];
  }
  error() {
    return [{ event: null, data: JSON.stringify(errorBody3(503, null)) }];
  }
  #frame(parts, last = false) {
    return { event: null, data: JSON.stringify(chunk(this.#reply, this.#context, parts, last)) };
  }
};
function allParts(reply) {
  return [
    ...reply.reasoning === null ? [] : [{ text: reply.reasoning, thought: true }],
    ...reply.text === "" ? [] : [{ text: reply.text }],
    ...reply.calls.map((call) => callPart(call, call.arguments))
  ];
}
function callPart(call, written2) {
  return { functionCall: { id: call?.id ?? "", name: call?.name ?? "", args: parsedArguments(written2) } };
}
function parsedArguments(written2) {
  if (written2.trim() === "") return {};
  try {
    return jsonValue.parse(JSON.parse(written2));
  } catch {
    return { malformed: written2 };
  }
}
function chunk(reply, context, parts, last) {
  const { input, output, cached } = reply.usage;
  const usage = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    cachedContentTokenCount: cached
  };
  const candidate = {
    content: { role: "model", parts },
    ...last ? { finishReason: finishReason(reply.finish) } : {},
    index: 0
  };
  return {
    candidates: [candidate],
    usageMetadata: usage,
    modelVersion: context.request.model,
    responseId: `scripted-${context.exchange}`
  };
}
function finishReason(finish) {
  switch (finish) {
    case "stop":
    case "tool_calls":
      return "STOP";
    case "length":
      return "MAX_TOKENS";
    case "content_filter":
      return "SAFETY";
  }
}
var STATUSES = {
  400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  401: ["UNAUTHENTICATED", "API key not valid."],
  403: ["PERMISSION_DENIED", "Permission denied."],
  404: ["NOT_FOUND", "Not found."],
  429: ["RESOURCE_EXHAUSTED", "Resource has been exhausted."],
  503: ["UNAVAILABLE", "The model is overloaded."]
};
function errorBody3(code, message) {
  const [status, usual] = STATUSES[code] ?? (code < 500 ? ["FAILED_PRECONDITION", "Failed precondition."] : ["INTERNAL", "Internal error."]);
  return { error: { code, message: message ?? usual, status, details: [] } };
}

// harness/model/wires/responses.ts
import { z as z5 } from "zod";

// harness/model/wires/responses-encoder.ts
function wholeResponse(reply, context) {
  const output = itemsOf(reply).map((item2) => itemJson(reply, context, item2, "completed"));
  return { ...responseHead(reply, context), ...ending(reply), output, usage: usageOf2(reply) };
}
var ResponsesEncoder = class {
  #reply;
  #context;
  #done = [];
  #open = null;
  #sequence = 0;
  constructor(reply, context) {
    this.#reply = reply;
    this.#context = context;
  }
  start() {
    const response = {
      ...responseHead(this.#reply, this.#context),
      status: "in_progress",
      output: [],
      usage: null
    };
    return [this.#event("response.created", { response }), this.#event("response.in_progress", { response })];
  }
  piece(piece) {
    const item2 = { of: piece.of, call: piece.of === "arguments" ? piece.call : 0 };
    const opening2 = this.#turnTo(item2);
    const place = this.#place(item2);
    switch (piece.of) {
      case "reasoning":
        return [
          ...opening2,
          this.#event("response.reasoning_summary_text.delta", {
            ...place,
            summary_index: 0,
            delta: piece.text
          })
        ];
      case "text":
        return [
          ...opening2,
          this.#event("response.output_text.delta", {
            ...place,
            content_index: 0,
            delta: piece.text,
            logprobs: []
          })
        ];
      case "arguments":
        return [
          ...opening2,
          this.#event("response.function_call_arguments.delta", { ...place, delta: piece.text })
        ];
    }
  }
  finish() {
    const closing = this.#close();
    const { status } = ending(this.#reply);
    const response = {
      ...responseHead(this.#reply, this.#context),
      ...ending(this.#reply),
      output: this.#done,
      usage: usageOf2(this.#reply)
    };
    return [...closing, this.#event(`response.${String(status)}`, { response })];
  }
  error() {
    return [this.#event("error", { code: "server_error", message: "The server had an error", param: null })];
  }
  #turnTo(item2) {
    if (this.#open?.of === item2.of && this.#open.call === item2.call) return [];
    const closing = this.#close();
    this.#open = item2;
    const place = this.#place(item2);
    const added = this.#event("response.output_item.added", {
      output_index: this.#done.length,
      item: itemJson(this.#reply, this.#context, item2, "in_progress")
    });
    switch (item2.of) {
      case "reasoning":
        return [
          ...closing,
          added,
          this.#event("response.reasoning_summary_part.added", {
            ...place,
            summary_index: 0,
            part: { type: "summary_text", text: "" }
          })
        ];
      case "text":
        return [
          ...closing,
          added,
          this.#event("response.content_part.added", { ...place, content_index: 0, part: textPart("") })
        ];
      case "arguments":
        return [...closing, added];
    }
  }
  #close() {
    const item2 = this.#open;
    if (item2 === null) return [];
    const place = this.#place(item2);
    const done = itemJson(this.#reply, this.#context, item2, "completed");
    const events = [
      ...this.#partDone(item2, place),
      this.#event("response.output_item.done", { output_index: this.#done.length, item: done })
    ];
    this.#open = null;
    this.#done.push(done);
    return events;
  }
  #partDone(item2, place) {
    switch (item2.of) {
      case "reasoning": {
        const text = this.#reply.reasoning ?? "";
        return [
          this.#event("response.reasoning_summary_text.done", { ...place, summary_index: 0, text }),
          this.#event("response.reasoning_summary_part.done", {
            ...place,
            summary_index: 0,
            part: { type: "summary_text", text }
          })
        ];
      }
      case "text":
        return [
          this.#event("response.output_text.done", {
            ...place,
            content_index: 0,
            text: this.#reply.text,
            logprobs: []
          }),
          this.#event("response.content_part.done", {
            ...place,
            content_index: 0,
            part: textPart(this.#reply.text)
          })
        ];
      case "arguments": {
        const call = this.#reply.calls[item2.call];
        return [
          this.#event("response.function_call_arguments.done", {
            ...place,
            name: call?.name ?? "",
            arguments: call?.arguments ?? ""
          })
        ];
      }
    }
  }
  #place(item2) {
    return { item_id: itemId(this.#context, item2), output_index: this.#done.length };
  }
  #event(type, data) {
    const frame2 = { event: type, data: JSON.stringify({ type, sequence_number: this.#sequence, ...data }) };
    this.#sequence += 1;
    return frame2;
  }
};
function itemsOf(reply) {
  return [
    ...reply.reasoning === null ? [] : [{ of: "reasoning", call: 0 }],
    ...reply.text === "" ? [] : [{ of: "text", call: 0 }],
    ...reply.calls.map((_call, call) => ({ of: "arguments", call }))
  ];
}
var PREFIX = { reasoning: "rs", text: "msg", arguments: "fc" };
function itemId(context, item2) {
  return `${PREFIX[item2.of]}_${String(context.exchange).padStart(8, "0")}${String(item2.call).padStart(4, "0")}`;
}
function itemJson(reply, context, item2, status) {
  const id = itemId(context, item2);
  const whole3 = status === "completed";
  switch (item2.of) {
    case "reasoning":
      return {
        id,
        type: "reasoning",
        summary: whole3 ? [{ type: "summary_text", text: reply.reasoning ?? "" }] : []
      };
    case "text":
      return { id, type: "message", status, role: "assistant", content: whole3 ? [textPart(reply.text)] : [] };
    case "arguments": {
      const call = reply.calls[item2.call];
      return {
        id,
        type: "function_call",
        status,
        call_id: call?.id ?? "",
        name: call?.name ?? "",
        arguments: whole3 ? call?.arguments ?? "" : ""
      };
    }
  }
}
function textPart(text) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
function responseHead(reply, context) {
  return {
    id: `resp_${String(context.exchange).padStart(24, "0")}`,
    object: "response",
    created_at: CREATED,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: context.request.model,
    parallel_tool_calls: reply.calls.length > 1,
    tool_choice: "auto",
    tools: []
  };
}
function ending(reply) {
  switch (reply.finish) {
    case "stop":
    case "tool_calls":
      return { status: "completed" };
    case "length":
      return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    case "content_filter":
      return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  }
}
function usageOf2(reply) {
  const { input, output, cached } = reply.usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output
  };
}

// harness/model/wires/responses.ts
var item = z5.looseObject({
  type: z5.string().optional(),
  role: z5.enum(["system", "developer", "user", "assistant"]).optional(),
  content: content.optional(),
  call_id: z5.string().optional(),
  name: z5.string().optional(),
  arguments: z5.string().optional(),
  output: content.optional(),
  summary: z5.array(z5.looseObject({ type: z5.string(), text: z5.string().optional() })).optional()
});
var requestBody4 = z5.looseObject({
  model: z5.string(),
  stream: z5.boolean().nullish(),
  instructions: z5.string().nullish(),
  input: z5.union([z5.string(), z5.array(item)]),
  tools: z5.array(z5.looseObject({ type: z5.string(), name: z5.string().optional() })).nullish()
});
var responses = {
  name: "responses",
  accepts: (request) => request.method === "POST" && pathOf(request).endsWith("/responses"),
  startup: openaiChatCompletions.startup,
  decode: decode4,
  encoder: (reply, context) => new ResponsesEncoder(reply, context),
  whole: wholeResponse,
  errorBody: openaiChatCompletions.errorBody,
  headers: openaiChatCompletions.headers,
  framing: () => "events",
  splitsArguments: true,
  callIdPrefix: () => "call_",
  rules: { refusesEmptyAssistant: false, wantsReasoningBack: () => false }
};
function decode4(request) {
  const parsed = requestBody4.safeParse(jsonBody(request));
  if (!parsed.success) throw new UnreadableRequest(z5.prettifyError(parsed.error));
  const body2 = parsed.data;
  const items = typeof body2.input === "string" ? [{ role: "user", content: body2.input }] : body2.input;
  const history = new History2();
  for (const each of items) history.add(each);
  return {
    model: body2.model,
    stream: body2.stream === true,
    system: [...[body2.instructions ?? ""].filter((text) => text !== ""), ...history.system],
    messages: history.messages,
    tools: (body2.tools ?? []).map((tool) => ({
      name: tool.name ?? tool.type,
      schema: jsonValue.parse(tool)
    })),
    parameters: parametersOf(body2, ["input", "instructions", "tools"])
  };
}
var History2 = class {
  system = [];
  messages = [];
  #userSeen = false;
  add(given) {
    switch (given.type ?? "message") {
      case "message":
        this.#addMessage(given);
        break;
      case "reasoning":
        this.#addToAssistant({ reasoning: (given.summary ?? []).map((part2) => part2.text ?? "").join("\n") });
        break;
      case "function_call":
        this.#addToAssistant({
          call: { id: given.call_id ?? "", name: given.name ?? "", arguments: given.arguments ?? "" }
        });
        break;
      case "function_call_output":
        this.messages.push({ role: "tool", callId: given.call_id ?? "", text: contentText(given.output) });
        break;
      default:
        this.messages.push({ role: "user", text: `[${given.type ?? ""}]` });
    }
  }
  #addMessage(given) {
    const text = contentText(given.content);
    if (given.role === "assistant") return this.#addToAssistant({ text });
    if (given.role === "user") this.#userSeen = true;
    if (given.role !== "user" && !this.#userSeen) this.system.push(text);
    else this.messages.push({ role: "user", text });
  }
  /** Joins what belongs to one reply; a text after a call, and a second text, begin another. */
  #addToAssistant(part2) {
    const last = this.messages.at(-1);
    const joins = last?.role === "assistant" && (part2.call !== void 0 || part2.text !== void 0 && last.text === "" && last.calls.length === 0);
    const before = joins ? last : { role: "assistant", text: "", reasoning: null, calls: [] };
    if (joins) this.messages.pop();
    this.messages.push({
      role: "assistant",
      text: part2.text ?? before.text,
      reasoning: part2.reasoning ?? before.reasoning,
      calls: part2.call === void 0 ? before.calls : [...before.calls, part2.call]
    });
  }
};

// harness/model/wires/wires.ts
var WIRES = {
  "chat-completions": chatCompletions,
  "openai-chat-completions": openaiChatCompletions,
  "anthropic-messages": anthropicMessages,
  responses,
  gemini
};
function wireNamed(name) {
  return WIRES[name];
}

// harness/model/scripted-run.ts
function createScriptedModel(script, options) {
  return new ScriptedRun(script, options);
}
var ScriptedRun = class {
  #script;
  #options;
  #wire;
  #conversations;
  #asides;
  #exchanges = [];
  #uses = /* @__PURE__ */ new Map();
  #holds = new Holds();
  #findings = [];
  #reasoned = /* @__PURE__ */ new Set();
  #finished = new FinishedReplies();
  #refusedIn = /* @__PURE__ */ new Set();
  #listeners = /* @__PURE__ */ new Set();
  #missed = null;
  #told = null;
  constructor(script, options) {
    this.#script = script;
    this.#options = options;
    this.#wire = wireNamed(options.wire);
    this.#conversations = script.conversations.map((conversation) => ({
      script: conversation,
      drawn: [],
      last: null
    }));
    this.#asides = script.asides.map((aside) => ({ script: aside, used: 0 }));
  }
  begin(request) {
    const decision = decide(this.#state(), request, this.#wire);
    const exchange = {
      number: this.#exchanges.length + 1,
      request,
      neutral: decision.is === "startup" ? null : decision.neutral,
      attribution: attributionOf(decision),
      agentsOwn: decision.is === "startup" ? [] : decision.own,
      outcome: "open",
      sent: []
    };
    this.#exchanges.push(exchange);
    this.#note(exchange, decision);
    const actions = this.#carryOut(exchange, decision);
    this.#changed();
    return { exchange, actions };
  }
  ended(exchange, outcome) {
    if (exchange.outcome !== "open") return;
    this.#settle(exchange, outcome);
    this.#holds.forget(exchange);
    this.#changed();
  }
  reached(exchange, hold) {
    const released = this.#holds.reached(exchange, hold);
    this.#changed();
    return released;
  }
  held() {
    return this.#holds.held();
  }
  release(hold) {
    this.#holds.release(hold);
    this.#changed();
  }
  cancelled() {
    for (const conversation of this.#conversations) {
      const from = startOfTurn(conversation.drawn);
      for (const drawn of conversation.drawn.slice(from)) Object.assign(drawn, { cancelledTurn: true });
    }
  }
  exchanges() {
    return this.#exchanges;
  }
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  finish() {
    if (this.#told !== null) return this.#told;
    const facts = { heldBy: (exchange) => this.#holds.heldBy(exchange) };
    const told = [
      ...this.#findings,
      ...untoldUses([...this.#uses.values()], facts),
      ...unusedReplies(this.#script, {
        drawn: new Map(this.#conversations.map(({ script, drawn }) => [script.name, drawn.length])),
        usedAsides: new Set(this.#asides.filter((aside) => aside.used > 0).map((aside) => aside.script.name)),
        optionalAsides: this.#options.optionalAsides ?? [],
        refusedIn: this.#refusedIn,
        missed: this.#missed !== null
      })
    ];
    this.#told = told;
    for (const exchange of this.#exchanges.filter(({ outcome }) => outcome === "open")) {
      this.#settle(exchange, "cut");
      this.#holds.forget(exchange);
    }
    this.#changed();
    return told;
  }
  #state() {
    return {
      conversations: this.#conversations,
      asides: this.#asides,
      missed: this.#told === null ? this.#missed : this.#missed ?? 0,
      rewrites: this.#options.rewrites ?? [],
      reasoned: this.#reasoned,
      finished: this.#finished
    };
  }
  /** Keeps what was found wrong: a broken prefix once for each conversation, a foreign credential once a run. */
  #note(exchange, decision) {
    const findings = decision.is === "startup" ? [] : decision.findings;
    for (const finding of findings) {
      const again = finding.kind === "PREFIX_BROKEN" && this.#has(finding.kind, finding.key);
      if (!again) this.#findings.push(finding);
    }
    if (decision.is === "refusal") {
      if (decision.conversation !== null) this.#refusedIn.add(decision.conversation);
      else if (findings.length > 0) this.#missed = exchange.number;
    }
    const { apiKey } = this.#options;
    if (apiKey === null || this.#has("CREDENTIAL_SEEN", "model") || !carriesForeignCredential(exchange.request.headers, apiKey))
      return;
    const message = `Request ${exchange.number} carries a credential that is not the key handed out to the subject.`;
    this.#findings.push({ kind: "CREDENTIAL_SEEN", key: "model", message, diff: null });
  }
  #has(kind, key) {
    return this.#findings.some((finding) => finding.kind === kind && finding.key === key);
  }
  #carryOut(exchange, decision) {
    switch (decision.is) {
      case "startup":
        return jsonAnswer(this.#wire, 200, decision.startup.body);
      case "refusal":
        return jsonAnswer(this.#wire, 400, this.#wire.errorBody(400, decision.message));
      case "reply":
        return this.#draw(exchange, decision);
    }
  }
  #draw(exchange, decision) {
    const { reply, neutral, attribution } = decision;
    const wireReply = fillReply({
      reply,
      use: this.#countUse(attribution),
      valueOf: (placeholder) => this.#valueOf(placeholder, reply),
      callIdPrefix: this.#wire.callIdPrefix
    });
    const drawn = {
      said: utterance(wireReply.text, wireReply.calls),
      finish: wireReply.finish,
      outcome: "open",
      cancelledTurn: false
    };
    this.#uses.set(exchange, { exchange, reply, drawn: attribution.to === "conversation" ? drawn : null });
    const conversation = attribution.to === "conversation" ? this.#conversations.find(({ script }) => script.name === attribution.name) : void 0;
    if (conversation !== void 0) {
      conversation.drawn.push(drawn);
      conversation.last = neutral;
    }
    if (wireReply.reasoning !== null) wireReply.calls.forEach((call) => this.#reasoned.add(call.id));
    return planReply({
      reply,
      wireReply,
      wire: this.#wire,
      context: { request: neutral, exchange: exchange.number },
      request: exchange.request,
      now: this.#options.clock ?? Date.now
    });
  }
  /** A name for this use of a reply, different from every other use of this run. */
  #countUse(attribution) {
    const name = `${attribution.to}/${attribution.name}/${attribution.reply}`;
    const aside = attribution.to === "aside" ? this.#asides.find(({ script }) => script.name === attribution.name) : void 0;
    if (aside === void 0) return name;
    aside.used += 1;
    return `${name}/${aside.used}`;
  }
  #valueOf(placeholder, reply) {
    const child = /^child:(.+)$/.exec(placeholder)?.[1]?.trim();
    if (child === void 0) return this.#options.values?.[placeholder] ?? null;
    const id = this.#options.childId?.(child) ?? null;
    if (id === null) {
      const message = `${reply.key}: {{child:${child}}} stands for a child that the subject has not announced.`;
      this.#findings.push({ kind: "EXPECTATION_FAILED", key: reply.key, message, diff: null });
    }
    return id;
  }
  #settle(exchange, outcome) {
    const use = this.#uses.get(exchange);
    exchange.outcome = use !== void 0 && use.reply.fail !== null && outcome === "finished" ? "failed" : outcome;
    if (exchange.attribution.to === "nobody" && outcome === "finished") exchange.outcome = "failed";
    if (use === void 0 || use.drawn === null) return;
    Object.assign(use.drawn, { outcome: exchange.outcome });
    if (exchange.outcome === "finished") this.#finished.add(use.drawn);
  }
  #changed() {
    for (const listener of [...this.#listeners]) listener();
  }
};
function attributionOf(decision) {
  switch (decision.is) {
    case "startup":
      return { to: "startup", what: decision.startup.what };
    case "refusal":
      return { to: "nobody" };
    case "reply":
      return decision.attribution;
  }
}
function startOfTurn(drawn) {
  const before = drawn.slice(0, -1);
  return before.findLastIndex((reply) => reply.outcome === "finished" && reply.said.calls.length === 0) + 1;
}

// bench/scripted-model.ts
var ROUNDS = 9;
var TURNS = 6;
var REPLY = {
  reasoning: "The user wants something that takes a thought or two before it can be answered.",
  tools: [0, 1].map((index) => ({
    name: "bash",
    arguments: { command: `grep -rn "what is asked for" src/part-${index} | sort | head -20` },
    id: null
  }))
};
function replyText(turn) {
  return `${turn}: I look for it in both parts of the source, and then we know more about it.`;
}
async function benchScriptedModel() {
  const one = await rates(1);
  const many = await rates(32);
  return {
    rateRatio: { oneClient: one.ratio, thirtyTwoClients: many.ratio },
    startRatio: await startRatio(),
    inProcessMicros: await inProcessMicros(),
    requestsPerSecond: { oneClient: one.scripted, thirtyTwoClients: many.scripted }
  };
}
function newModel(clients, turns) {
  const replies = Array.from({ length: turns }, (_, turn) => ({ ...REPLY, text: replyText(turn) }));
  const children = Array.from(
    { length: clients - 1 },
    (_, index) => sampleConversation(`child-${index + 1}`, opening(index + 1), replies)
  );
  return createScriptedModel(sampleScript(replies, { conversations: children }), {
    wire: "chat-completions",
    apiKey: null
  });
}
function opening(client) {
  return `<client ${client}> works on its own`;
}
function body(client, turn) {
  const steps = Array.from({ length: turn }, (_, before) => step(client, before)).flat();
  const messages = [
    { role: "system", content: "You are measured." },
    { role: "user", content: opening(client) },
    ...steps
  ];
  return JSON.stringify({
    model: "scripted",
    stream: true,
    stream_options: { include_usage: true },
    messages
  });
}
function step(client, turn) {
  const calls = (REPLY.tools ?? []).map((call, index) => ({
    id: `call_${client}_${turn}_${index}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) }
  }));
  const said = {
    role: "assistant",
    content: replyText(turn),
    reasoning_content: REPLY.reasoning,
    tool_calls: calls
  };
  return [said, ...calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: "nothing found" }))];
}
async function rates(clients) {
  const bodies = Array.from(
    { length: clients },
    (_, client) => Array.from({ length: TURNS }, (_unused, turn) => body(client, turn))
  );
  const actions = sameActions();
  const scripted = [];
  const bare = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const rate = await rateOf(await serveLoopback(newModel(clients, TURNS)), bodies);
    const other = await rateOf(await bareServer(actions), bodies);
    if (round === 0) continue;
    scripted.push(rate);
    bare.push(other);
  }
  return { ratio: median(scripted) / median(bare), scripted: Math.round(median(scripted)) };
}
async function rateOf(target, bodies) {
  const agent = new Agent({ keepAlive: true, maxSockets: bodies.length });
  const started = performance.now();
  await Promise.all(
    bodies.map(async (turns) => {
      for (const text of turns) await post(`${target.url}/chat/completions`, text, agent);
    })
  );
  const seconds = (performance.now() - started) / 1e3;
  agent.destroy();
  await target.close();
  return bodies.length * TURNS / seconds;
}
function post(url, text, agent) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const sent = httpRequest(url, { method: "POST", agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`Status ${response.statusCode ?? 0} in the bench.`));
      response.on("error", reject);
      response.on("end", () => resolve());
      response.resume();
    });
    sent.on("error", reject);
    sent.end(text);
  });
}
function sameActions() {
  const request = {
    method: "POST",
    path: "/chat/completions",
    headers: [],
    body: new TextEncoder().encode(body(0, 0))
  };
  return newModel(1, TURNS).begin(request).actions;
}
async function bareServer(actions) {
  const server = createServer2((request, response) => {
    request.on("end", () => {
      for (const action of actions) {
        if (action.do === "head")
          response.writeHead(
            action.status,
            action.headers.flatMap((header) => [...header])
          ).flushHeaders();
        if (action.do === "write") response.write(action.bytes);
        if (action.do === "end") response.end();
      }
    });
    request.resume();
  });
  server.on("connection", (socket) => socket.setNoDelay(true));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}`, close: () => closed(server) };
}
function closed(server) {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
async function startRatio() {
  const actions = sameActions();
  const scripted = [];
  const bare = [];
  const model = newModel(1, TURNS);
  for (let round = 0; round < 30; round += 1) {
    scripted.push(await startTime(() => serveLoopback(model)));
    bare.push(await startTime(() => bareServer(actions)));
  }
  return median(scripted) / median(bare);
}
async function startTime(start) {
  const before = performance.now();
  const target = await start();
  const took = performance.now() - before;
  await target.close();
  return took;
}
async function inProcessMicros() {
  const bodies = Array.from({ length: TURNS }, (_, turn) => body(0, turn));
  const chunks2 = sameActions().flatMap((action) => action.do === "write" ? [action.bytes] : []);
  const stub = (input, init) => {
    void new Request(input, init);
    const stream = new ReadableStream({
      start(controller) {
        for (const chunk2 of chunks2) controller.enqueue(chunk2);
        controller.close();
      }
    });
    return Promise.resolve(new Response(stream, { status: 200 }));
  };
  const costs = [];
  for (let round = 0; round <= 60; round += 1) {
    const scripted = await session(inProcessFetch(newModel(1, TURNS), "http://model.test"), bodies);
    const bare = await session(stub, bodies);
    if (round > 0) costs.push(scripted - bare);
  }
  return Math.round(median(costs));
}
async function session(fetchOne, bodies) {
  const started = performance.now();
  for (const text of bodies) {
    const response = await fetchOne("http://model.test/chat/completions", { method: "POST", body: text });
    if (response.status !== 200) throw new Error(`Status ${response.status} in the bench.`);
    await response.arrayBuffer();
  }
  return (performance.now() - started) * 1e3 / bodies.length;
}
function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

// bench/.b.ts
console.log(await benchScriptedModel());

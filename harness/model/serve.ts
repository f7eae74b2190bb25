/** A script served to whoever asks, without steps: what `turnpin model` does (scenarios.md). */
import type { ModelScript } from '../scenario/scenario.ts';
import type { Exchange, ModelFinding } from './exchange.ts';
import { serveLoopback } from './loopback.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { createScriptedModel, type ModelOptions } from './scripted-run.ts';

export interface ServeOptions extends Omit<ModelOptions, 'apiKey'> {
  /** 0 or nothing lets the system choose. */
  readonly port?: number;
  /** Null, or nothing: any key will do. */
  readonly apiKey?: string | null;
  /** `wait`: holds stay until `model.release`. Otherwise they pass, since nobody takes steps. */
  readonly holds?: 'pass' | 'wait';
}

export interface ServedVerdict {
  readonly findings: readonly ModelFinding[];
  readonly exchanges: readonly Exchange[];
  /** 0: the script was played as written. */
  readonly exit: 0 | 1;
}

export interface Served {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly model: ScriptedModel;
  /** Resolves when nothing more can come of the script: all was used, or a request came that is not in it. */
  readonly over: Promise<void>;
  /** Ends the server and gives the verdict. Idempotent. */
  close(): Promise<ServedVerdict>;
}

/** Serves a script on 127.0.0.1. A hold that passes is released as soon as it is reached; one whose reply `ends: cancelled` waits for its client to hang up. Rejects where the port can't be had. */
export async function serveScript(script: ModelScript, options: ServeOptions): Promise<Served> {
  const { port, holds, ...rest } = options;
  const model = createScriptedModel(script, { ...rest, apiKey: options.apiKey ?? null });
  const stop = holds === 'wait' ? () => false : passHolds(model, holdsToKeep(script));
  const server = await serveLoopback(model, { port: port ?? 0 });
  let closed: Promise<ServedVerdict> | null = null;
  const close = async (): Promise<ServedVerdict> => {
    await server.close();
    stop();
    const findings = model.finish();
    return { findings, exchanges: model.exchanges(), exit: findings.length === 0 ? 0 : 1 };
  };
  return { url: server.url, model, over: over(model), close: () => (closed ??= close()) };
}

function passHolds(model: ScriptedModel, except: ReadonlySet<string>): () => void {
  return model.onChange(() => {
    for (const hold of model.held()) if (!except.has(hold)) model.release(hold);
  });
}

function over(model: ScriptedModel): Promise<void> {
  return new Promise((resolve) => {
    const stop = model.onChange(() => {
      if (!model.isOver()) return;
      stop();
      resolve();
    });
  });
}

function holdsToKeep(script: ModelScript): ReadonlySet<string> {
  const replies = [...script.conversations, ...script.asides].flatMap((conversation) => conversation.replies);
  return new Set(
    replies.flatMap((reply) => (reply.ends === 'cancelled' && reply.hold !== null ? [reply.hold.name] : [])),
  );
}

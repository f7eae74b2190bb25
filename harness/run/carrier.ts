/** The scripted model of a run, reachable for its subject. */
import type { ScriptedModel } from '../model/scripted-model.ts';
import { serveLoopback } from '../model/loopback.ts';
import { inProcessFetch } from '../model/msw.ts';
import type { SubjectKind } from '../subject/subject.ts';

export interface Carrier {
  /** Without a path and without a final slash. */
  readonly modelUrl: string;
  /** Null where `modelUrl` is a real server. */
  readonly fetch: typeof globalThis.fetch | null;
  close(): Promise<void>;
}

/** Ports that nobody listens on, one a run: in process nothing ever connects to them. */
const FIRST_MOCK_PORT = 49_200;
const MOCK_PORTS = 16_000;
let mockRuns = 0;

/** Carries `model` to a subject of this kind, each run under a URL of its own. */
export async function openCarrier(
  model: ScriptedModel,
  kind: Pick<SubjectKind, 'carrier'>,
): Promise<Carrier> {
  switch (kind.carrier) {
    case 'in-process': {
      const modelUrl = `http://127.0.0.1:${FIRST_MOCK_PORT + (mockRuns++ % MOCK_PORTS)}`;
      return { modelUrl, fetch: inProcessFetch(model, modelUrl), close: async () => {} };
    }
    case 'loopback': {
      const { url, close } = await serveLoopback(model);
      return { modelUrl: url, fetch: null, close };
    }
  }
}

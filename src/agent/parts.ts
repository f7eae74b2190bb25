/** What turns and steps need of their agent. */
import type { Model } from '../model/model.ts';
import type { SessionLog } from '../session/log.ts';
import type { ToolRunner } from '../tools/tool-runner.ts';
import type { Cancellable } from './cancellation.ts';
import type { Policies } from './contract.ts';
import type { HeaderRecord } from './header-record.ts';
import type { Inbox } from './inbox.ts';
import type { Clock, RetrySettings } from './retry.ts';

export interface TurnParts {
  readonly log: SessionLog;
  readonly inbox: Inbox;
  readonly model: Model;
  readonly tools: ToolRunner;
  readonly systemPrompt: () => string;
  readonly headers: HeaderRecord;
  readonly policies: Policies;
  readonly retry: RetrySettings;
  readonly clock: Clock;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The turn that is open. */
export interface TurnScope {
  readonly turn: number;
  readonly work: Cancellable;
}

/** A short title, asked for once after the first turn, in maintenance (core.md, "Prompt, tools, composition"). */
import type { Model } from '../model/model.ts';
import type { HistoryMessage } from '../session/events.ts';
import type { SessionLog } from '../session/log.ts';
import type { MaintenanceJob } from './contract.ts';
import { createUserMessage } from './message.ts';

/** The system prompt of this side request. */
export const TITLE_PROMPT =
  'You name conversations. Answer with a title of at most eight words for the conversation you are shown: plain text, no quotes, no full stop.';

const EXCERPT = 2_000;
const LONGEST = 80;

/**
 * Records `session/title`. The request is asked once for each agent, without retries: a title is not worth a second
 * one. An answer without text leaves the session untitled.
 */
export function createTitleJob(model: Model, log: SessionLog): MaintenanceJob {
  let asked = false;
  return {
    name: 'title',
    due: () => !asked && log.state.title === null && log.state.turns > 0 && log.state.history.length > 0,
    run: async (signal) => {
      asked = true;
      const message = createUserMessage(excerptOf(log.state.history), { kind: 'plugin', name: 'title' });
      const request = {
        systemPrompt: TITLE_PROMPT,
        tools: [],
        history: [{ role: 'user', message }],
      } as const;
      const answer = await model.attempt(request, () => {}, signal);
      signal.throwIfAborted();
      const title = titleOf(answer.message.text);
      if (title !== '') log.append('session/title', { title });
    },
  };
}

function excerptOf(history: readonly HistoryMessage[]): string {
  const asked = history.find((entry) => entry.role === 'user');
  const answered = history.findLast(
    (entry) => entry.role === 'assistant' && entry.message.text.trim() !== '',
  );
  const question = asked?.role === 'user' ? asked.message.content.map((block) => block.text).join('\n') : '';
  const answer = answered?.role === 'assistant' ? answered.message.text : '';
  return `Title this conversation.\n\nUser:\n${cut(question)}\n\nAssistant:\n${cut(answer)}`;
}

function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  const bare = line.replace(/^["'`*#\s]+|["'`*.\s]+$/g, '');
  return [...bare].slice(0, LONGEST).join('').trim();
}

function cut(text: string): string {
  return [...text.slice(0, EXCERPT * 2)].slice(0, EXCERPT).join('');
}

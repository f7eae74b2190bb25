/** `title: true`: the agent asks the model once, after its first answer and in maintenance, for a title (core.md, "Prompt, tools, composition"). */
import type { MaintenanceJob } from '../agent/contract.ts';
import { createUserMessage } from '../agent/message.ts';
import type { Model } from '../model/model.ts';
import type { SessionEvent } from '../session/events.ts';
import type { SessionLog } from '../session/log.ts';
import { cutText } from '../tools/text-file.ts';

const INSTRUCTION =
  'You name conversations. Answer with a title for the one that the user shows you: at most six words, in its own language, without quotation marks and without a full stop. Answer with the title alone.';

/** Enough for a model that thinks before it answers. */
const TOKEN_CEILING = 1000;

/** Of what was said, this many characters are shown. */
const EXCERPT = 2000;

const LONGEST_TITLE = 80;

/** The maintenance job. It is due once in an agent's life: a request that failed is not made again. */
export function titleJob(log: SessionLog, model: Model): MaintenanceJob {
  let asked = false;
  return {
    name: 'title',
    due: () => !asked && log.state.title === null && excerpt(log.events) !== null,
    run: async (signal) => {
      asked = true;
      const shown = excerpt(log.events) ?? '';
      const answer = await model.attempt(
        {
          systemPrompt: INSTRUCTION,
          tools: [],
          history: [{ role: 'user', message: createUserMessage(shown) }],
          parameters: { max_tokens: TOKEN_CEILING },
        },
        () => {},
        signal,
      );
      const title = titleOf(answer.message.text);
      if (title !== '') log.append('session/title', { title });
    },
  };
}

/** The first prompt and the first answer; null while there is no answer: there is nothing to name yet. */
function excerpt(events: readonly SessionEvent[]): string | null {
  const prompt = events.find((event) => event.type === 'user/message' && event.data.source.kind === 'user');
  if (prompt?.type !== 'user/message') return null;
  const asked = prompt.data.content.map((block) => block.text).join('\n');
  const answer = events.find((event) => event.type === 'assistant/message' && event.data.message.text !== '');
  if (answer?.type !== 'assistant/message') return null;
  return `User: ${cutText(asked, EXCERPT)}\n\nAssistant: ${cutText(answer.data.message.text, EXCERPT)}`;
}

/** The first line that says something, without the quotation marks that models like to put around it. */
function titleOf(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  const bare = line.trim().replace(/^["'“«]+|["'”».]+$/g, '');
  return cutText(bare, LONGEST_TITLE).trim();
}

import { describe, expect, it } from 'vitest';
import type { Aside, AsideWhen } from '../scenario/scenario.ts';
import { user, ask, kinds } from './sample-requests.ts';
import { sampleReply, sampleScript } from './sample-script.ts';
import { createScriptedModel, type ModelOptions } from './scripted-run.ts';

describe('asides', () => {
  const when: AsideWhen = { system: null, user: null, model: null, tools: null, stream: null };
  const title: Aside = {
    name: 'title',
    when: { ...when, system: 'short title' },
    replies: [sampleReply({ key: 'aside.title.1', text: 'A title' })],
  };
  const withAsides = (asides: readonly Aside[], options: Partial<ModelOptions> = {}) =>
    createScriptedModel(sampleScript([{ text: 'One.' }], { asides }), {
      wire: 'chat-completions',
      apiKey: null,
      ...options,
    });
  const titleRequest = [{ role: 'system', content: 'Write a short title.' }, user('a')];

  it('are tried before the conversations, and their last reply repeats', () => {
    const model = withAsides([title]);
    expect(ask(model, titleRequest).attribution).toEqual({ to: 'aside', name: 'title', reply: 1 });
    expect(ask(model, titleRequest).attribution).toEqual({ to: 'aside', name: 'title', reply: 1 });
    expect(ask(model, [user('a')]).attribution).toMatchObject({ name: 'main', reply: 1 });
    expect(model.finish()).toEqual([]);
  });

  it("are told when nothing asked for them, unless they are a manifest's", () => {
    const unused = withAsides([title]);
    ask(unused, [user('a')]);
    expect(kinds(unused)).toEqual(['UNUSED_REPLY aside.title']);
    const optional = withAsides([title], { optionalAsides: ['title'] });
    ask(optional, [user('a')]);
    expect(optional.finish()).toEqual([]);
  });

  it('that both fit a request are an error that names both', () => {
    const model = withAsides([title, { ...title, name: 'summary', when: { ...when, user: 'a' } }]);
    ask(model, titleRequest);
    expect(model.finish()[0]?.message).toContain('title and summary');
  });

  it.each([
    ['the system prompt', { system: 'you are' }, {}],
    ['the last user message', { user: 'suggest' }, {}],
    ['the model', { model: 'small' }, { model: 'small' }],
    [
      'the exact list of tools',
      { tools: ['a', 'b'] },
      { tools: [{ function: { name: 'a' } }, { function: { name: 'b' } }] },
    ],
    ['no tools', { tools: [] }, {}],
    ['streaming', { stream: false }, { stream: false }],
  ])('are recognised by %s', (_name, key, body) => {
    const aside = { ...title, when: { ...when, ...key } };
    const meant = withAsides([aside]);
    const messages = [{ role: 'system', content: 'you are' }, user('first'), user('suggest')];
    expect(ask(meant, messages, body).attribution.to).toBe('aside');
    const other = withAsides([
      { ...title, when: { ...when, system: 'no', user: 'no', model: 'no', tools: ['no'], stream: true } },
    ]);
    expect(ask(other, messages, body).attribution.to).toBe('conversation');
  });
});

import { describe, expect, it } from 'vitest';
import { ToolRegistry } from './registry.ts';
import type { Tool } from './tool.ts';

const tool = (name: string, description = name): Tool => ({
  name,
  description,
  parameters: { type: 'object' },
  run: () => Promise.resolve({ content: description, isError: false }),
});

const names = (registry: ToolRegistry) => registry.schemas().map(({ name }) => name);

describe('ToolRegistry', () => {
  it('offers schemas by name, whatever the order of registration, and nothing but schemas (REQ-2)', () => {
    const registry = new ToolRegistry();
    const dispose = registry.add(tool('b'));
    registry.add(tool('c'));
    registry.add(tool('a'));
    dispose();
    registry.add(tool('b'));
    expect(registry.schemas()).toEqual(
      ['a', 'b', 'c'].map((name) => ({ name, description: name, parameters: { type: 'object' } })),
    );
  });

  it('refuses a second tool of the same name in a scope, and a name that endpoints refuse', () => {
    const registry = new ToolRegistry();
    registry.add(tool('a'));
    expect(() => registry.add(tool('a'))).toThrowError(expect.objectContaining({ code: 'DUPLICATE_TOOL' }));
    for (const name of ['', 'a b', 'ä', 'x'.repeat(65)]) {
      expect(() => registry.add(tool(name))).toThrowError(
        expect.objectContaining({ code: 'INVALID_TOOL_NAME' }),
      );
    }
  });

  it('disposes once: a tool registered later under the same name stays', () => {
    const registry = new ToolRegistry();
    const dispose = registry.add(tool('a'));
    dispose();
    registry.add(tool('a', 'later'));
    dispose();
    expect(registry.get('a')?.description).toBe('later');
  });

  it('lets a child scope inherit, add and shadow, unseen by its parent and siblings', () => {
    const parent = new ToolRegistry();
    parent.add(tool('read', 'parent'));
    const child = parent.child();
    const sibling = parent.child();
    child.add(tool('read', 'child'));
    const dispose = child.add(tool('report'));
    parent.add(tool('late'));
    expect(names(child)).toEqual(['late', 'read', 'report']);
    expect(child.get('read')?.description).toBe('child');
    expect(names(sibling)).toEqual(['late', 'read']);
    expect(sibling.get('read')?.description).toBe('parent');
    dispose();
    expect(names(child)).toEqual(['late', 'read']);
  });

  it("filters what a child inherits, never the child's own", () => {
    const parent = new ToolRegistry();
    for (const name of ['bash', 'read', 'write']) parent.add(tool(name));
    const child = parent.child({ filter: ['read', 'nothing'] });
    child.add(tool('report'));
    expect(names(child)).toEqual(['read', 'report']);
    expect(child.get('bash')).toBeUndefined();
    expect(names(child.child())).toEqual(['read', 'report']);
    expect(names(parent.child({ filter: [] }))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { volatileValues } from './volatile.ts';

const found = (text: string): string[] => volatileValues(text, () => false).map(({ value }) => value);

describe('a volatile value', () => {
  it.each([
    '0F0E0D0C-0b0a-4a0b-8c0d-0E0F00112233',
    '2026-01-01t09:30:00z',
    '/TMP/turnpin-1/ws',
    '/var/folders/x1/T/ws',
    '/home/ada/ws',
    '/users/ada/ws',
    'C:\\Users\\ada\\ws',
    'LOCALHOST:8080',
    '127.0.0.1:49152',
    '[::1]:49152',
  ])('%s is seen alone in a text, in upper and in lower case', (value) => {
    expect(found(`adds: ${value}\n`)).toEqual([value]);
    expect(found(`adds: ${value.toUpperCase()}\n`)).toEqual([value.toUpperCase()]);
    expect(found(`adds: ${value.toLowerCase()}\n`)).toEqual([value.toLowerCase()]);
  });
});

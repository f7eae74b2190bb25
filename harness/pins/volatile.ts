/** VOLATILE_VALUE: values that the next run would show otherwise and that no placeholder caught (pins.md, rule 5). Pure. */

export interface VolatileValue {
  readonly what: string;
  readonly value: string;
  /** The placeholder that stands for values of this form, where the run knows them for its own. */
  readonly placeholder: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
}

const PATTERNS = {
  uuid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  time: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:Z|[+-]\\d\\d:?\\d\\d)?',
  temporary:
    '(?<![\\w.}])(?:/private)?/(?:tmp|var/tmp|var/folders)/[\\w.@+-][^\\s"\'`)<>,;]*|[a-z]:\\\\+[^\\s"\'`]*\\\\+temp\\\\+[^\\s"\'`]+',
  home: '(?<![\\w.}])(?:/home|/Users)/[\\w.-]+(?:/[^\\s"\'`)<>,;]*)?|[a-z]:\\\\+Users\\\\+[^\\s"\'`]+',
  port: '(?:\\blocalhost|\\b127\\.0\\.0\\.1|\\[::1\\]):\\d{2,5}\\b',
} as const;

const MEANING: Readonly<
  Record<keyof typeof PATTERNS, { readonly what: string; readonly placeholder: string }>
> = {
  uuid: { what: 'a UUID', placeholder: '{{session:n}}, {{message:n}} or {{call:n}}' },
  time: { what: 'a timestamp', placeholder: '{{time}}' },
  temporary: { what: 'a temporary path', placeholder: '{{cwd}} or {{home}}' },
  home: { what: 'a home path', placeholder: '{{home}}' },
  port: { what: 'a local port', placeholder: '{{port}}' },
};

const ANY = new RegExp(
  Object.entries(PATTERNS)
    .map(([name, pattern]) => `(?<${name}>${pattern})`)
    .join('|'),
  'giu',
);
/** A cheap look: without one of these no pattern can match. */
const HINT = /\/(?:tmp|var|home|users)\/|:\\|localhost:|127\.0\.0\.1:|\[::1\]:|-[0-9a-f]{4}-|\dt\d/i;

/** Every volatile value of a text, but those that `isDeclared`: what the scenario itself says is the same in every run. */
export function volatileValues(text: string, isDeclared: (value: string) => boolean): VolatileValue[] {
  if (!HINT.test(text)) return [];
  return [...text.matchAll(ANY)].flatMap((match) => {
    const value = match[0];
    const kind = (Object.keys(PATTERNS) as (keyof typeof PATTERNS)[]).find(
      (name) => match.groups?.[name] !== undefined,
    );
    if (kind === undefined || isDeclared(value)) return [];
    const before = text.slice(0, match.index);
    return [
      {
        ...MEANING[kind],
        value,
        line: before.split('\n').length,
        column: match.index - before.lastIndexOf('\n'),
      },
    ];
  });
}

/** Does any text within a declared value contain this one? */
export function declares(declared: unknown, value: string): boolean {
  if (typeof declared === 'string') return declared.includes(value);
  if (Array.isArray(declared)) return declared.some((inner) => declares(inner, value));
  if (typeof declared !== 'object' || declared === null) return false;
  return Object.entries(declared).some(([key, inner]) => key.includes(value) || declares(inner, value));
}

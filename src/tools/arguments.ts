/** From the arguments that the model wrote to arguments that a tool can trust (REQ-6). */
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { Json } from '../session/events.ts';
import { findJsonError } from './json-error.ts';
import { ToolError, type Tool } from './tool.ts';

export type ToolArguments = { readonly [key: string]: Json };

/** Most complaints that one error lists. */
const MOST_COMPLAINTS = 5;

const validators = new WeakMap<Tool, ValidateFunction>();
let ajv: Promise<Ajv> | null = null;

/** Reads and checks `text`; rejects with a `ToolError` `INVALID_ARGS` that says what is wrong and where. */
export async function readArguments(tool: Tool, text: string): Promise<ToolArguments> {
  const args = parse(tool, text);
  const validate = await validatorOf(tool);
  if (validate(args)) return args;
  throw invalid(
    tool,
    [...new Set((validate.errors ?? []).map(describe))].slice(0, MOST_COMPLAINTS).join('; '),
  );
}

/** Empty arguments mean `{}`: models write nothing at all for a tool without parameters. */
function parse(tool: Tool, text: string): ToolArguments {
  if (text.trim() === '') return {};
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw invalid(tool, `they are not valid JSON: ${findJsonError(text)}`);
  }
  if (isObject(value)) return value;
  throw invalid(
    tool,
    `they must be a JSON object, found ${Array.isArray(value) ? 'an array' : kindOf(value)}`,
  );
}

function isObject(value: Json): value is ToolArguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: Json): string {
  return value === null ? 'null' : `a ${typeof value}`;
}

/** Ajv is loaded with the first call: it costs more than everything else that a cold start loads for tools. */
async function validatorOf(tool: Tool): Promise<ValidateFunction> {
  const known = validators.get(tool);
  if (known !== undefined) return known;
  ajv ??= import('ajv').then(
    (module) => new module.Ajv({ allErrors: true, strict: false, verbose: true, logger: false }),
  );
  const { $schema: _dialect, ...schema } = tool.parameters;
  const validate = (await ajv).compile(schema);
  validators.set(tool, validate);
  return validate;
}

function describe(error: ErrorObject): string {
  const where = error.instancePath === '' ? '' : `${error.instancePath.slice(1).replaceAll('/', '.')}: `;
  switch (error.keyword) {
    case 'required':
      return `${where}"${String(error.params['missingProperty'])}" is missing`;
    case 'additionalProperties':
      return `${where}"${String(error.params['additionalProperty'])}" is not a parameter`;
    case 'type':
      return `${where}must be of type ${String(error.params['type'])}, found ${kindOfFound(error.data)}`;
    case 'enum':
      return `${where}must be one of ${JSON.stringify(error.params['allowedValues'])}`;
    default:
      return `${where}${error.message ?? `breaks ${error.keyword}`}`;
  }
}

function kindOfFound(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function invalid(tool: Tool, complaint: string): ToolError {
  return new ToolError(
    'INVALID_ARGS',
    `The arguments for "${tool.name}" cannot be used: ${complaint}. Call it again with arguments that follow its schema.`,
  );
}

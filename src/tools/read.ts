/** The `read` tool. */
import { LARGEST_WINDOW, LONGEST_LINE, numberLines } from './numbered-lines.ts';
import { readTextBytes } from './text-file.ts';
import { ToolError, type Tool } from './tool.ts';
import { Workspace } from './workspace.ts';

const DEFAULT_LIMIT = 2_000;

/**
 * Shows lines of a text file with their numbers: 2,000 lines and 64,000 characters at most, each line cut at 2,000
 * characters, files up to 10 MiB. Errors: `OUTSIDE_WORKSPACE`, `NOT_FOUND`, `IS_DIRECTORY`, `NOT_A_FILE`,
 * `PERMISSION_DENIED`, `BINARY_FILE`, `FILE_TOO_LARGE`, `OFFSET_BEYOND_END`.
 */
export function readTool(options: { readonly confine: boolean }): Tool {
  return {
    name: 'read',
    description:
      'Shows the lines of a text file, each with its number in front. ' +
      `At most ${String(DEFAULT_LIMIT)} lines or ${String(LARGEST_WINDOW)} characters are shown at once; ` +
      `lines over ${String(LONGEST_LINE)} characters are cut. For the rest of a long file, call again with offset.`,
    parameters: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          minLength: 1,
          description: 'The file, relative to the workspace or absolute.',
        },
        offset: {
          type: 'integer',
          minimum: 1,
          description: 'Number of the first line to show; 1 by default.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          description: `Most lines to show; ${String(DEFAULT_LIMIT)} by default.`,
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    parallelSafe: () => true,
    run: async (args, { cwd }) => {
      const {
        path,
        offset = 1,
        limit = DEFAULT_LIMIT,
      } = args as {
        readonly path: string;
        readonly offset?: number;
        readonly limit?: number;
      };
      const text = await load(path, cwd, options.confine);
      return { content: show(path, text, { offset, limit: Math.min(limit, DEFAULT_LIMIT) }), isError: false };
    },
  };
}

async function load(path: string, root: string, confine: boolean): Promise<string> {
  const workspace = await Workspace.open({ root, confine });
  const place = await workspace.place(path, { create: false });
  try {
    const file = await workspace.openFile(place);
    try {
      return new TextDecoder().decode(await readTextBytes(file, path));
    } finally {
      await file.close();
    }
  } finally {
    await place.close();
  }
}

function show(
  path: string,
  text: string,
  window: { readonly offset: number; readonly limit: number },
): string {
  if (text === '') return '[the file is empty]';
  const { text: lines, shown, total } = numberLines(text, window);
  if (shown === 0) {
    throw new ToolError(
      'OFFSET_BEYOND_END',
      `${path} has ${String(total)} lines; there is none from ${String(window.offset)} on.`,
    );
  }
  const last = window.offset + shown - 1;
  if (last === total) return lines;
  return `${lines}\n[lines ${String(window.offset)} to ${String(last)} of ${String(total)}; go on with offset ${String(last + 1)}]`;
}

/** The `edit` tool. */
import { replaceFile } from './file-replacement.ts';
import { editText, type EditResult } from './text-edit.ts';
import { readTextBytes } from './text-file.ts';
import { ToolError, type Tool } from './tool.ts';
import { Workspace, type Place } from './workspace.ts';

/**
 * Replaces a piece of a text file. Line ends, byte order mark and mode stay. Errors, after which the file is untouched:
 * `NO_MATCH`, `AMBIGUOUS_MATCH`, `OVERLAPPING_MATCH`, `EMPTY_OLD_STRING`, `NO_CHANGE`, `NOT_UTF8`, and those of
 * reading and writing.
 */
export function editTool(options: { readonly confine: boolean }): Tool {
  return {
    name: 'edit',
    description:
      'Replaces a piece of text in a file. old_string must occur exactly once, unless replace_all is true. ' +
      'It may span lines and must match to the letter, white space included; line ends are kept as the file has them.',
    parameters: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          minLength: 1,
          description: 'The file, relative to the workspace or absolute.',
        },
        old_string: { type: 'string', description: 'The text to replace.' },
        new_string: { type: 'string', description: 'What to put in its place; empty to delete it.' },
        replace_all: { type: 'boolean', description: 'Replace every occurrence; false by default.' },
      },
      required: ['path', 'old_string', 'new_string'],
      additionalProperties: false,
    },
    run: async (args, { cwd }) => {
      const { path, old_string, new_string, replace_all } = args as {
        readonly path: string;
        readonly old_string: string;
        readonly new_string: string;
        readonly replace_all?: boolean;
      };
      const workspace = await Workspace.open({ root: cwd, confine: options.confine });
      const place = await workspace.place(path, { create: false });
      try {
        const text = await readText(workspace, place);
        const edit = { old: old_string, new: new_string, all: replace_all ?? false };
        const { text: edited, count } = accepted(path, editText(text, edit));
        await replaceFile(place, Buffer.from(edited, 'utf8'));
        const times = count === 1 ? '1 replacement' : `${String(count)} replacements`;
        return { content: `Edited ${path}: ${times}.`, isError: false };
      } finally {
        await place.close();
      }
    },
  };
}

/** All of the file, byte order mark included; what is not UTF-8 would not survive the way back. */
async function readText(workspace: Workspace, place: Place): Promise<string> {
  const file = await workspace.openFile(place);
  try {
    const bytes = await readTextBytes(file, place.given);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(
      'NOT_UTF8',
      `${place.given} is not valid UTF-8, so it cannot be edited without harm to it.`,
    );
  } finally {
    await file.close();
  }
}

function accepted(path: string, result: EditResult): Extract<EditResult, { kind: 'edited' }> {
  switch (result.kind) {
    case 'edited':
      return result;
    case 'empty':
      throw new ToolError(
        'EMPTY_OLD_STRING',
        'old_string is empty. Give the text to replace; for a new file use write.',
      );
    case 'same':
      throw new ToolError(
        'NO_CHANGE',
        'old_string and new_string are the same, at least but for their line ends, which an edit keeps.',
      );
    case 'absent':
      throw new ToolError(
        'NO_MATCH',
        `old_string does not occur in ${path}. Read the file again and copy the text exactly, white space included.`,
      );
    case 'ambiguous':
      throw new ToolError(
        'AMBIGUOUS_MATCH',
        `old_string occurs ${String(result.count)} times in ${path}. Add lines around it until it is unique, or set replace_all.`,
      );
    case 'overlapping':
      throw new ToolError(
        'OVERLAPPING_MATCH',
        `old_string occurs ${String(result.count)} times in ${path}, and some of these overlap. Replace a longer text.`,
      );
  }
}

/** The `write` tool. */
import { replaceFile } from './file-replacement.ts';
import type { Tool } from './tool.ts';
import { Workspace } from './workspace.ts';

/**
 * Writes a whole file at one stroke, making directories on the way. Errors: `OUTSIDE_WORKSPACE`, `IS_DIRECTORY`,
 * `NOT_A_DIRECTORY`, `NOT_A_FILE`, `PERMISSION_DENIED`, `IO_FAILED`; after any of them the old file is untouched.
 */
export function writeTool(options: { readonly confine: boolean }): Tool {
  return {
    name: 'write',
    description:
      'Writes a text file as a whole. Missing directories are created; a file that exists is replaced and keeps its mode.',
    parameters: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          minLength: 1,
          description: 'The file, relative to the workspace or absolute.',
        },
        content: { type: 'string', description: 'All that the file is to hold.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    run: async (args, { cwd }) => {
      const { path, content } = args as { readonly path: string; readonly content: string };
      const workspace = await Workspace.open({ root: cwd, confine: options.confine });
      const place = await workspace.place(path, { create: true });
      try {
        const bytes = Buffer.from(content, 'utf8');
        const done = await replaceFile(place, bytes);
        const size = `${String(bytes.byteLength)} ${bytes.byteLength === 1 ? 'byte' : 'bytes'}`;
        return {
          content: `${done === 'created' ? 'Created' : 'Replaced'} ${path} (${size}).`,
          isError: false,
        };
      } finally {
        await place.close();
      }
    },
  };
}

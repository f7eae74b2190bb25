/** The project's own corpus, run on the core as a gate. */
import { fileURLToPath } from 'node:url';
import { registerGate } from './gate.ts';

await registerGate({ root: fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/u, '') });

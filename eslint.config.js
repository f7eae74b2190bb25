import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** Printing and ending the process belong to the command lines alone. */
const noConsole = { 'no-console': 'error' };

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.turnpin/', '**/fixtures/**'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    languageOptions: { globals: globals.node },
    rules: {
      ...noConsole,
      eqeqeq: 'error',
      'no-restricted-globals': ['error', 'fetch'],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['**/harness/**'], message: 'src/ never imports harness/ (ARCHITECTURE.md).' }],
        },
      ],
    },
  },
  {
    files: ['harness/**/*.ts'],
    ignores: ['harness/vitest/**', '**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['vitest', 'vitest/*'], message: 'vitest belongs to harness/vitest/ and tests.' },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.object.name='fc'] > ObjectExpression:has(> Property[key.name='maxLength'][value.value>10]):not(:has(> Property[key.name='size']))",
          message: "Without a size, fast-check makes no more than ten of anything: add size: 'max'.",
        },
      ],
    },
  },
  {
    files: ['**/*.test.ts', 'bench/**', 'build/**', 'harness/vitest/**'],
    rules: { 'no-console': 'off', 'no-restricted-globals': 'off' },
  },
  {
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);

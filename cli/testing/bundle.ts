import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'

/** Builds a fixture as the program is built, and answers its path: it starts in a third of the time. */
export async function bundle(fixture: URL): Promise<string> {
  const input = fileURLToPath(fixture)
  const folder = temporaryFolder('fixture')
  await build({
    input,
    platform: 'node',
    external: ['react-devtools-core'],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    output: {
      dir: folder,
      format: 'esm',
      minify: true,
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    },
    logLevel: 'silent',
  })
  return join(folder, basename(input).replace(/\.ts$/, '.mjs'))
}

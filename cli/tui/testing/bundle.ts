import { join } from 'node:path'
import { build } from 'rolldown'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'

/** Builds the fixture as the program is built, and answers its path. */
export async function bundleFixture(): Promise<string> {
  const folder = temporaryFolder('tui')
  await build({
    input: new URL('tui.fixture.ts', import.meta.url).pathname,
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
  return join(folder, 'tui.fixture.mjs')
}

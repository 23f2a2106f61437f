import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { freePort } from '../../server/testing/ports.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { bin } from './real-service.ts'

/** As in a container on a read-only root: nobody knows the user, and no variable names a home. */
const nobody = { uid: 54_321, gid: 54_321, cwd: '/', extendEnv: false, reject: false }

/** Whether anybody gets to this file, which may lie in somebody's home. */
const isOpen = (path: string): boolean => (statSync(path).mode & 1) === 1 && (path === '/' || isOpen(dirname(path)))
const isPossible = process.getuid?.() === 0 && [process.execPath, dirname(bin)].every(isOpen)

it.runIf(isPossible)('runs for a user without a home folder', async () => {
  const env = {
    PATH: process.env.PATH ?? '',
    SECRET: testSecret,
    DATABASE_URL: `postgres://a@127.0.0.1:${await freePort()}/b`,
  }
  expect(await execa(process.execPath, [bin, 'version'], { ...nobody, env })).toMatchObject({ exitCode: 0 })
  const checked = await execa(process.execPath, [bin, 'serve', '--check'], { ...nobody, env })
  expect(checked).toMatchObject({ exitCode: 16, stdout: expect.stringContaining('ECONNREFUSED') })
})

it('runs in a folder that was deleted, except for what is of the folder', async () => {
  const folder = temporaryFolder('deleted')
  const runThere = (...words: string[]) =>
    execa('sh', ['-c', 'cd "$0" && rmdir "$0" && exec "$@"', folder, process.execPath, bin, ...words], {
      reject: false,
    })
  expect(await runThere('version')).toMatchObject({ exitCode: 0 })
  mkdirSync(folder)
  expect(await runThere('serve', '--check', '--json')).toMatchObject({
    exitCode: 15,
    stderr: expect.stringContaining('"This folder was deleted"'),
  })
})

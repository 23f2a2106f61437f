import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { cloneDatabase, settingsOf } from '../../server/testing/database.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { bin } from './real-service.ts'

/** A mount of their own, which only the commands in it see. */
const apart = ['--user', '--map-root-user', '--mount', 'sh', '-c']
const isPossible = spawnSync('unshare', [...apart, 'mount -t tmpfs none /tmp']).status === 0

const full = (at: string) => `mount -t tmpfs -o size=4k,mode=700 none ${at}; head -c 4096 /dev/zero > ${at}/filler`
const readOnly = (at: string) => `mount -t tmpfs -o ro,mode=700 none ${at}`

interface Place {
  readonly at: string
  readonly env?: Readonly<Record<string, string>>
}

async function run(mount: string, { at, env = {} }: Place, args: readonly string[]) {
  const folders = { POSTERN_CONFIG_DIR: join(at, 'config'), POSTERN_STATE_DIR: join(at, 'state') }
  const script = `${mount}; exec "$0" "$@"`
  const { exitCode, stdout, stderr } = await execa('unshare', [...apart, script, process.execPath, bin, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...folders, ...env },
    extendEnv: false,
    reject: false,
    cwd: dirname(at),
  })
  return { exitCode, stdout, stderr }
}

describe.runIf(isPossible)('where nothing can be written', () => {
  test('a setting that cannot be kept is blamed on its own folder, and on what is the matter there', async () => {
    const at = temporaryFolder('unwritable')
    const set = ['config', 'set', 'color', 'never']
    const onFull = await run(full(at), { at, env: { POSTERN_CONFIG_DIR: at } }, set)
    expect([onFull.exitCode, onFull.stderr]).toEqual([
      15,
      `error: Cannot create ${at}/config.json.lock (ENOSPC)\n  next: The disk is full: free space, or choose another folder with POSTERN_CONFIG_DIR`,
    ])
    const onReadOnly = await run(readOnly(at), { at, env: { POSTERN_CONFIG_DIR: `${at}/a/b` } }, set)
    expect([onReadOnly.exitCode, onReadOnly.stderr]).toEqual([
      15,
      `error: Cannot create ${at}/a/b (EROFS)\n  next: The file system is read-only: choose another folder with POSTERN_CONFIG_DIR`,
    ])
  })

  test('an output that finds room for its beginning only is a failure', async () => {
    const at = temporaryFolder('unwritable')
    const mount = `mount -t tmpfs -o size=8k,mode=700 none ${at}; head -c 4096 /dev/zero > ${at}/filler; exec > ${at}/out`
    const { exitCode, stderr } = await run(mount, { at }, ['commands', '--json'])
    expect([exitCode, stderr]).toEqual([
      1,
      'error: The output cannot be written (ENOSPC)\n  next: Only the output is lost; what the command has changed stays changed',
    ])
  })

  test('a trail is not followed from a cursor file that cannot be written again', async () => {
    const at = temporaryFolder('unwritable')
    const mount = `mount -t tmpfs none ${at}; echo abc > ${at}/position; mount -o remount,ro ${at}`
    const env = { POSTERN_TOKEN: 'token', POSTERN_URL: 'http://127.0.0.1:9' }
    const argv = ['account', 'activity', '--follow', '--ndjson', '--cursor-file', `${at}/position`]
    const { exitCode, stdout, stderr } = await run(mount, { at, env }, argv)
    expect([exitCode, stdout]).toEqual([15, ''])
    expect(stderr).toContain('cannot be written: the file system is read-only')
  })

  test.each([
    ['on a full disk', full, 'the disk is full', 'The disk is full: free space, or choose another folder with'],
    [
      'that is read-only',
      readOnly,
      'the file system is read-only',
      'The file system is read-only: choose another folder with',
    ],
  ])('doctor finds a state folder %s', async (_, mount, reason, mend) => {
    const at = temporaryFolder('unwritable')
    for (const folder of [at, join(at, 'to', 'make')]) {
      const { exitCode, stdout } = await run(mount(at), { at, env: { POSTERN_STATE_DIR: folder } }, [
        'doctor',
        '--json',
      ])
      const { items } = JSON.parse(stdout) as { items: { check: string }[] }
      expect([exitCode, items.filter(({ check }) => check === 'state')]).toEqual([
        15,
        [
          {
            check: 'state',
            status: 'problem',
            message: `Nothing can be written in ${folder}: ${reason}`,
            mend: `${mend} POSTERN_STATE_DIR`,
          },
        ],
      ])
    }
  })

  test.each([
    ['full disk', full, 'the disk is full', 'Free space, or name a file elsewhere'],
    ['read-only file system', readOnly, 'the file system is read-only', 'Name a file elsewhere'],
  ])('a backup to a %s is not blamed on the service', async (_, mount, reason, next) => {
    const at = temporaryFolder('unwritable')
    const { database, drop } = await cloneDatabase()
    const env = { ...settingsOf(database), SECRET: testSecret }
    const { exitCode, stderr } = await run(mount(at), { at, env }, ['backup', `${at}/b.backup`])
    await drop()
    expect([exitCode, stderr]).toEqual([1, `error: ${at}/b.backup cannot be written: ${reason}\n  next: ${next}`])
  })
})

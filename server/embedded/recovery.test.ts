import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { findOwner } from './secure-folder.ts'
import {
  cleanUp,
  connect,
  drafts,
  kill,
  newDatabase,
  newFolder,
  newOpenFolder,
  removeTemplate,
  serverPid,
  start,
  startService,
  until,
} from './testing/processes.ts'

afterEach(cleanUp)
afterAll(removeTemplate)

/** Returns a folder whose initialisation was killed. Tries another one if it finished before it could be killed. */
async function killHalfway(): Promise<string> {
  for (let tried = 0; tried < 20; tried += 1) {
    const dataDir = newFolder()
    const { child, ready } = startService(dataDir)
    let isReady = false
    ready.then(
      () => {
        isReady = true
      },
      () => undefined,
    )
    await until(() => isReady || drafts(dataDir).length > 0)
    const gone = once(child, 'exit')
    process.kill(-child.pid!, 'SIGKILL')
    await gone
    if (drafts(dataDir).length > 0) return dataDir
  }
  throw new Error('No initialisation could be killed halfway')
}

it('repairs an initialisation that was killed halfway', async () => {
  const dataDir = await killHalfway()
  expect(drafts(dataDir)).toHaveLength(1)
  expect(await connect(await start(dataDir))`select 1 as one`).toEqual([{ one: 1 }])
  expect(drafts(dataDir)).toEqual([])
})

it('waits for the children of a killed server instead of failing', async () => {
  const dataDir = await newDatabase()
  const service = startService(dataDir)
  const connection = await service.ready
  const sql = connect({ connection })
  let busy: Promise<unknown> | undefined
  const work = async () => {
    await sql`select count(*) from generate_series(1, 3000000)`.catch(() => undefined)
    busy = undefined
  }
  await until(async () => {
    // Starts again if it finished before it was noticed.
    busy ??= work()
    return (await sql`select 1 from pg_stat_activity where query like '%3000000%' and state = 'active'`).length > 1
  })
  await kill(service.child)
  process.kill((await serverPid(dataDir))!, 'SIGKILL')
  expect(await connect(await start(dataDir))`select 1 as one`).toEqual([{ one: 1 }])
  await busy
})

it('does not take another process with the old number for its server', async () => {
  const dataDir = await newDatabase()
  const service = startService(dataDir)
  await service.ready
  await kill(service.child)
  const pid = (await serverPid(dataDir))!
  process.kill(pid, 'SIGKILL')
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore', ...findOwner(join(dataDir, 'postgres')) })
  try {
    for (const file of ['postgres/postmaster.pid', 'run/.s.PGSQL.5432.lock'])
      replacePid(join(dataDir, file), pid, stranger.pid!)
    const embedded = await start(dataDir)
    expect(await connect(embedded)`select 1 as one`).toEqual([{ one: 1 }])
    await embedded.stop()
    expect(stranger.exitCode ?? stranger.signalCode).toBe(null)
  } finally {
    stranger.kill()
  }
})

it('says what the server said when it cannot start', async () => {
  const dataDir = await newDatabase()
  writeFileSync(join(dataDir, 'postgres', 'postgresql.conf'), 'bogus_setting = 1\n')
  await expect(start(dataDir)).rejects.toThrow(/did not start(.|\n)*bogus_setting/)
})

it('leaves a folder alone that is not a database', async () => {
  const dataDir = newOpenFolder()
  mkdirSync(join(dataDir, 'postgres'))
  writeFileSync(join(dataDir, 'postgres', 'thesis.txt'), 'mine')
  await expect(start(dataDir)).rejects.toThrow(/not a PostgreSQL data folder. Move it away/)
  expect(readFileSync(join(dataDir, 'postgres', 'thesis.txt'), 'utf8')).toBe('mine')
})

it('refuses a database of another major version and says which', async () => {
  const dataDir = await newDatabase()
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '99\n')
  await expect(start(dataDir)).rejects.toThrow(/created by PostgreSQL 99, but only PostgreSQL \d+/)
})

function replacePid(file: string, from: number, to: number): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(new RegExp(`^${from}\n`), `${to}\n`))
}

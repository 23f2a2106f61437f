import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connect } from '../../db/connect.ts'
import { mailLease } from '../../mail/mail-transport.ts'
import { patience } from '../../testing/database.ts'
import { findFaults } from '../../testing/ha/audit-writes.ts'
import { type Cluster, startCluster, until } from '../../testing/ha/cluster.ts'
import { faults, killService, restartServices, returnToFreeLock, strikePrimary } from '../../testing/ha/faults.ts'
import { causesOfRefusals, Figures } from '../../testing/ha/figures.ts'
import { canMakeNamespaces } from '../../testing/ha/network.ts'
import { Workload } from '../../testing/ha/workload.ts'
import { highAvailabilityRounds as rounds } from '../../testing/rounds.ts'
import { slack } from '../../testing/slack.ts'
import { type MailServer, startMailServer } from '../../testing/smtp.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

// A round takes about twenty seconds: the lock of a dead primary has to expire, and the old one comes back as a standby.
vi.setConfig({ testTimeout: (300_000 + rounds * 200_000) * slack, hookTimeout: 400_000 * slack })

const canCut = canMakeNamespaces()
const figures = new Figures()
if (!canCut) figures.add('cuts of the network left out, since only root can make namespaces', 1)
let mailbox: MailServer
let cluster: Cluster
let workload: Workload
beforeAll(async () => {
  mailbox = await startMailServer()
  const settings = { RATE_LIMIT: 'off', SMTP_URL: mailbox.url, MAIL_FROM: 'no-reply@example.com', LOG_LEVEL: 'warn' }
  cluster = await startCluster({ folder: temporaryFolder('ha'), settings })
  workload = new Workload(cluster.url, 6)
})
afterAll(async () => {
  await workload?.stop()
  await cluster?.stop()
  await mailbox?.stop()
  figures.print()
})

/** Of what takes long. */
const few = Math.ceil(rounds / 5)
const several = Array.from({ length: rounds }, (_, round) => round)

// The network of one machine can be cut only in a namespace of its own, which takes root.
const kinds = (Object.keys(faults) as (keyof typeof faults)[]).filter((kind) => kind !== 'cut' || canCut)

it.each(kinds)(`goes on when the primary is %s, ${rounds} times`, async (fault) => {
  for (const _round of several) figures.addGap(fault, await strikePrimary(cluster, workload, fault))
  expect(workload.unexpected).toEqual([])
})

it.runIf(canCut)(
  'promotes no machine that lacks acknowledged writes, though its network returns to a free lock',
  async () => {
    let taken = 0
    for (let tries = 0; taken < few && tries < 10 * few; tries += 1)
      if (await returnToFreeLock(cluster, workload)) taken += 1
    const lines = cluster.machines.flatMap(({ patroni }) => patroni.output.split('\n'))
    const refusals = lines.filter((line) => line.includes('is not promoted, since it may lack')).length
    figures.add('machines that were not promoted, since they may lack writes', refusals)
    expect([taken, refusals >= taken]).toEqual([few, true])
    expect(workload.unexpected).toEqual([])
  },
)

it(`goes on when a service is killed, ${3 * rounds} times`, async () => {
  for (const _round of several)
    for (const number of [0, 1, 2]) figures.addGap('service killed', await killService(cluster, workload, number))
  expect(workload.unexpected).toEqual([])
})

it(`loses no request while all services are replaced in turn, ${few} times`, async () => {
  await cluster.untilWhole()
  const before = workload.counts
  for (let round = 0; round < few; round += 1) await restartServices(cluster)
  const { asked, failed } = workload.counts
  figures.add('requests while services were replaced', asked - before.asked)
  expect([failed - before.failed, asked > before.asked]).toEqual([0, true])
})

it('has kept each acknowledged write, and none that it had denied; each act has one row, each mail went out', async () => {
  await workload.stop()
  await cluster.untilWhole()
  const { writes, people } = workload
  const sql = connect(cluster.databaseUrl, { connections: 2, prepare: false, deadlines: patience })
  await until(
    'an empty outbox',
    async () => (await sql`select from outbox where payload is not null limit 1`).length === 0,
    // A mail of a service that was killed while it sent it waits for the end of its lease.
    2 * mailLease,
  )
  const found = await findFaults(sql, writes, mailbox.mails)
  await sql.end()
  figures.addWrites(workload, found, mailbox.mails)
  expect(found).toEqual({ lost: [], denied: [], trail: [], unsent: [], stray: [], different: [] })
  expect(writes.filter(({ known }) => known === 'done').length).toBeGreaterThan(people.length)
})

it('has signed nobody out, and answered everybody with their own', async () => {
  for (const person of workload.people)
    expect(await workload.sessionOf(person)).toMatchObject({ user: { email: person.email } })
  expect([workload.wrong, workload.signedOut, workload.unexpected]).toEqual([[], [], []])
})

it('has said of each 503 why, and whether anything may have been done', () => {
  const logs = cluster.services.map(({ output }) => output)
  const { told, causes } = causesOfRefusals(logs, workload.refusals)
  figures.addCauses(causes)
  expect(told.filter(({ cause }) => !cause)).toEqual([])
  // Only what a primary had when it was lost is in doubt; who waits for a new one is told to come back.
  const wrong = told.filter(
    ({ cause = '', isNothingDone }) => isNothingDone !== !/conn(?:ection closed| crashed)/.test(cause),
  )
  expect(wrong.filter(({ cause = '' }) => cause.startsWith('08P01'))).toEqual([])
  expect(told.filter(({ isNothingDone }) => isNothingDone).length).toBeGreaterThan(0)
  // Nobody is led to a machine that was not promoted, or is the primary no more: it lacks the newest sessions.
  expect(told.filter(({ cause = '' }) => cause.startsWith('25006'))).toEqual([])
})

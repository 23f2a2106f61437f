import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { writeNginx } from '../../testing/deployed.ts'
import { freePort } from '../../testing/ports.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { readSample, sample } from './samples.ts'

// The programs that read the samples say what they think of them.

it('nginx accepts its sample', async () => {
  const folder = temporaryFolder('nginx')
  const config = writeNginx(folder, [await freePort(), await freePort()], [4101, 4102])
  const { stderr } = await execa('nginx', ['-t', '-c', config, '-p', folder])
  expect(stderr).toContain('test is successful')
  expect(stderr).not.toContain('[warn]')
})

it('Caddy accepts its sample, as it is written', async () => {
  const home = temporaryFolder('caddy')
  const env = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  const { stderr, stdout } = await execa(
    'caddy',
    ['validate', '--adapter', 'caddyfile', '--config', sample('caddy/Caddyfile')],
    { env },
  )
  expect(`${stdout}${stderr}`).toContain('Valid configuration')
  expect(`${stdout}${stderr}`).not.toContain('not formatted')
})

it('Prometheus accepts the rules, and each alert fires where it should and nowhere else', async () => {
  const { stdout } = await execa('promtool', ['check', 'rules', sample('prometheus/alerts.yml')])
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
  const tested = await execa('promtool', ['test', 'rules', sample('prometheus/alerts-cases.yml')])
  expect(tested.stdout).toContain('SUCCESS')
})

/** Debian's Prometheus was built without what looks for pods. */
const ofPods = (text: string) =>
  text
    .replace(/^ +static_configs:.*\n/m, '')
    .replaceAll(/^( {4})#(?! \S)/gm, '$1')
    .replace(/kubernetes_sd_configs: .+/, 'static_configs: []')

it.each([
  ['on one machine', (text: string) => text],
  ['in Kubernetes', ofPods],
])('Prometheus accepts its sample for instances %s', async (_, write) => {
  const folder = temporaryFolder('prometheus')
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, write(readSample('prometheus/prometheus.yml')))
  copyFileSync(sample('prometheus/alerts.yml'), join(folder, 'alerts.yml'))
  const { stdout } = await execa('promtool', ['check', 'config', config])
  expect(stdout).toContain('is valid prometheus config file syntax')
})

it.each(['postern', 'postern-backup'])('systemd understands the unit of %s, and finds it safe', async (name) => {
  const folder = temporaryFolder('units')
  mkdirSync(join(folder, 'system'))
  const unit = join(folder, 'system', `${name}.service`)
  // The program may be elsewhere on this machine.
  writeFileSync(unit, readSample(`systemd/${name}.service`).replace('/usr/bin/node', process.execPath))
  const { stderr } = await execa('systemd-analyze', ['verify', unit], { reject: false })
  expect(stderr.split('\n').filter((line) => line.includes(`${name}.service`))).toEqual([])
  const { stdout } = await execa('systemd-analyze', ['security', '--offline=true', unit])
  const [, exposure] = /Overall exposure level for [\w-]+\.service: ([\d.]+)/.exec(stdout) ?? []
  expect(Number(exposure)).toBeLessThan(2)
})

it('systemd understands the time of the backup', async () => {
  const [, when = ''] = /^OnCalendar=(.+)$/m.exec(readSample('systemd/postern-backup.timer')) ?? []
  expect((await execa('systemd-analyze', ['calendar', when])).stdout).toContain('Next elapse')
})

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const folder = fileURLToPath(new URL('../../../deploy/ha/', import.meta.url))
const read = (file: string) => readFileSync(`${folder}${file}`, 'utf8')
const ownFiles = ['README.md', 'fill', 'values.example']
const files = readdirSync(folder).filter((file) => !ownFiles.includes(file))

it('has a value for each name in its files, and no value without a name', () => {
  const used = files.flatMap((file) => [...read(file).matchAll(/@([A-Z][A-Z0-9_]*)@/g)].map(([, name]) => name))
  const given = [...read('values.example').matchAll(/^([A-Z]\w*)=/gm)].map(([, name]) => name)
  expect(new Set(used)).toEqual(new Set(given))
})

it('tells of each of its files', () => {
  const readme = read('README.md')
  expect(files.filter((file) => !readme.includes(`\`${file}\``))).toEqual([])
})

/** The lock of a primary that cannot reach etcd has to outlive its attempts to (documentation of Patroni). */
it('lets a primary step down before its lock expires', () => {
  const [ttl, wait, retry] = ['ttl', 'loop_wait', 'retry_timeout'].map((name) =>
    Number(new RegExp(`^ +${name}: (\\d+)$`, 'm').exec(read('patroni.yml'))?.[1]),
  )
  expect(wait! + 2 * retry!).toBeLessThanOrEqual(ttl!)
})

it('speaks the v2 interface of etcd, and waits for a server for less than the service does', () => {
  expect(read('patroni.yml')).toMatch(/^etcd:$/m)
  expect(read('etcd.yml')).toMatch(/^enable-v2: true$/m)
  const seconds = Number(/^query_wait_timeout = (\d+)$/m.exec(read('pgbouncer.ini'))?.[1])
  expect(seconds).toBeLessThan(5)
})

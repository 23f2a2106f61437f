import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const server = fileURLToPath(new URL('..', import.meta.url))
const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|(^|\/)testing\/|^bench\/|node_modules/.test(name),
)
const holding = (pattern: RegExp) => files.filter((name) => pattern.test(readFileSync(`${server}${name}`, 'utf8')))

it('promises no entity by hand: its columns come from its schema', () => {
  const entities =
    'FullUser|User|Session|StoredSession|ListedOrganization|Organization|Member|MemberView|Invitation|InvitationView|Team'
  expect(holding(/\b(sql|tx)</).length).toBeGreaterThan(10)
  expect(holding(new RegExp(`\\b(sql|tx|findRow|getRow)<\\(?(${entities})\\b`))).toEqual([])
})

it('writes no new row of an entity by hand: its columns come from its schema, too', () => {
  const tables = 'users|sessions|organizations|members|invitations|teams|machine_keys|trust_rules'
  expect(holding(new RegExp(`insert into (${tables})`)).length).toBeGreaterThan(5)
  expect(holding(new RegExp(`insert into (${tables})( as \\w+)?\\s*\\(`))).toEqual([])
})

it('takes no statement that was put together as text, but the files of migrations and those of moving', () => {
  expect(files.length).toBeGreaterThan(100)
  const found = holding(/\.unsafe\b|\['unsafe'\]/)
  // Made of the names of our own columns, and of quoted ones of a database that an operator names.
  expect(found.filter((file) => !file.startsWith('db/moving/'))).toEqual(['db/build-index.ts', 'db/migrate.ts'])
})

const beginnings = ['transaction', 'transactionWithEvents', 'withAdminRight', 'withAdminRightOver']
const isBeginning = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) && beginnings.includes(node.expression.getText())

/** What the work of a transaction does on another connection, for which it would wait while it holds its own. */
function outsideOf(work: ts.Node): string[] {
  const found: string[] = []
  const visit = (node: ts.Node, isOwn: boolean): void => {
    const takesSql = ts.isFunctionLike(node) && node.parameters.some(({ name }) => name.getText() === 'sql')
    if (isBeginning(node)) found.push(node.getText())
    if (ts.isIdentifier(node) && node.text === 'sql' && !ts.isParameter(node.parent))
      if (!isOwn || ts.isPropertyAccessExpression(node.parent)) found.push(node.parent.getText())
    ts.forEachChild(node, (child) => visit(child, isOwn || takesSql))
  }
  visit(work, false)
  return found
}

function worksIn(file: string): ts.Node[] {
  const works: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    if (isBeginning(node)) works.push(...node.arguments.filter(ts.isArrowFunction))
    ts.forEachChild(node, visit)
  }
  const text = readFileSync(`${server}${file}`, 'utf8')
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return works
}

it('begins no transaction in another, and asks nothing beside it', () => {
  const works = holding(new RegExp(`\\b(${beginnings.join('|')})\\(`)).flatMap((file) =>
    worksIn(file).map((work) => [file, work] as const),
  )
  expect(works.length).toBeGreaterThan(40)
  expect(works.flatMap(([file, work]) => outsideOf(work).map((what) => `${file}: ${what}`))).toEqual([])
})

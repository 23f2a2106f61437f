import type { ContenderName } from '../../../server/bench/contenders.ts'
import type { Result } from '../../../server/bench/results.ts'
import { figureOf } from '../../../server/bench/statistics.ts'

export interface ChartRow {
  readonly title: string
  readonly rounds: Result['rounds']
}

type Names = readonly (readonly [ContenderName, string])[]

const width = 860
const [left, right, top] = [250, 90, 64]
const [barHeight, gap] = [11, 16]

/** CPU a request of each contender, the service and PostgreSQL beside each other; the dearest of each call fills the width. */
export function drawChart(rows: readonly ChartRow[], names: Names): string {
  const rowHeight = names.length * barHeight + gap
  const height = top + rows.length * rowHeight
  const parts = rows.map((row, n) => drawRow(row, names, top + n * rowHeight))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    '<title>CPU a request of the service and of its peers</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    '<text x="16" y="24" font-size="15" font-weight="600" fill="#1f2328">CPU a request, in milliseconds: less is better</text>',
    ...drawLegend(names),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

const colours: Readonly<Record<ContenderName, string>> = {
  ours: '#0b6e4f',
  'peer-1.2': '#6e7781',
  'peer-1.7': '#a0782c',
  limit: '#1f2328',
}

function drawLegend(names: Names): readonly string[] {
  const ends = names.map(([, title]) => title.length * 7 + 30)
  return [
    ...names.map(([name, title], n) => {
      const x = 16 + ends.slice(0, n).reduce((sum, end) => sum + end, 0)
      return `<rect x="${x}" y="36" width="11" height="11" fill="${colours[name]}"/><text x="${x + 16}" y="46" fill="#1f2328">${title}</text>`
    }),
    `<text x="${16 + ends.reduce((sum, end) => sum + end, 0)}" y="46" fill="#57606a">pale: PostgreSQL's share</text>`,
  ]
}

function drawRow({ title, rounds }: ChartRow, names: Names, y: number): string {
  const bars = names.map(([name]) => ({
    name,
    cpu: figureOf(rounds, name, ({ cpu }) => cpu)?.median ?? 0,
    databaseCpu: figureOf(rounds, name, ({ databaseCpu }) => databaseCpu)?.median ?? 0,
  }))
  const dearest = Math.max(...bars.map(({ cpu, databaseCpu }) => cpu + databaseCpu))
  const scale = (width - left - right) / dearest
  const middle = y + (names.length * barHeight) / 2 + 4
  return [
    `<text x="${left - 10}" y="${middle}" text-anchor="end" fill="#1f2328">${title}</text>`,
    ...bars.map(({ name, cpu, databaseCpu }, n) => {
      const at = y + n * barHeight
      const [own, theirs] = [cpu * scale, databaseCpu * scale].map((length) => length.toFixed(1))
      const end = (left + (cpu + databaseCpu) * scale + 6).toFixed(1)
      const sum = Number((cpu + databaseCpu).toPrecision(2))
      return [
        `<rect x="${left}" y="${at}" width="${own}" height="${barHeight - 2}" fill="${colours[name]}"/>`,
        `<rect x="${(left + cpu * scale).toFixed(1)}" y="${at}" width="${theirs}" height="${barHeight - 2}" fill="${colours[name]}" opacity="0.4"/>`,
        `<text x="${end}" y="${at + 9}" font-size="10" fill="#57606a">${sum}</text>`,
      ].join('')
    }),
  ].join('\n')
}

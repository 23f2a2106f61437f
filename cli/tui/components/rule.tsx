import { symbols } from '../theme.ts'
import { Line } from './words.tsx'

export const Rule = ({ width }: { readonly width: number }) => (
  <Line spans={[{ text: symbols.rule.repeat(Math.max(0, width)), tone: 'muted' }]} />
)

import { symbols, type Tone } from '../theme.ts'
import { cell } from './columns.ts'
import { Line } from './words.tsx'

export interface SwitchProps {
  readonly label: string
  readonly labelWidth: number
  readonly isOn: boolean
  readonly isActive: boolean
}

/** Yes or no among fields to type into. */
export function Switch({ label, labelWidth, isOn, isActive }: SwitchProps) {
  const tone: Tone = isActive ? 'accent' : 'muted'
  return (
    <Line
      spans={[
        { text: `${isActive ? symbols.cursor : ' '} ${cell(label, labelWidth)} `, tone },
        { text: isOn ? '[x] yes' : '[ ] no' },
      ]}
    />
  )
}

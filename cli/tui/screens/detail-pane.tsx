import { Box } from 'ink'
import type { Detail } from '../../flows/resource-fields.ts'
import { cell } from '../components/columns.ts'
import { Facts } from '../components/facts.tsx'
import { Line, Prose } from '../components/words.tsx'

/** A thing on a screen of its own, a line for each of its parts. */
export const DetailView = ({ detail: { facts, texts = [] } }: { readonly detail: Detail }) => (
  <Box flexDirection="column" rowGap={1}>
    <Facts facts={facts} />
    {texts.map(({ text, tone }) => (
      <Prose key={text} text={text} tone={tone} />
    ))}
  </Box>
)

/** Leaves an id whole in a terminal of 120 columns. */
const labelWidth = 12

/** The same beside its list, where room is dear: what is long goes on in the next line. */
export const DetailPane = ({ detail: { title, facts, texts = [] } }: { readonly detail: Detail }) => (
  <Box flexDirection="column" flexShrink={0}>
    <Line spans={[{ text: title, isBold: true }]} />
    <Line spans={[{ text: ' ' }]} />
    {facts.map(({ label, value, tone }) => (
      <Box key={label} flexShrink={0} columnGap={1}>
        <Box flexShrink={0}>
          <Line spans={[{ text: cell(label, labelWidth), tone: 'muted' }]} />
        </Box>
        <Box flexShrink={1}>
          <Prose text={value} tone={tone ?? 'plain'} />
        </Box>
      </Box>
    ))}
    {texts.map(({ text, tone }) => (
      <Box key={text} marginTop={1} flexShrink={0}>
        <Prose text={text} tone={tone} />
      </Box>
    ))}
  </Box>
)

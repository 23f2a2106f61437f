import type { DOMElement } from 'ink'
import { displayWidth } from '../../output/width.ts'

interface Area {
  readonly text: string
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
  /** What lies over the rest on purpose is only compared with itself. */
  readonly layer: DOMElement
}

/** The place of a node and the part of the window that its boxes let it paint. */
interface Place extends Omit<Area, 'text'> {
  readonly y: number
  readonly x: number
}

/**
 * The texts that Ink paints over one another, or in fewer lines than they need. It does so where boxes have less room than
 * their lines: they shrink to a height of zero and are painted nevertheless.
 */
export function overpainted(root: DOMElement): readonly string[] {
  const all = { top: 0, left: 0, bottom: Infinity, right: Infinity }
  const areas = areasIn(root, { ...all, x: 0, y: 0, layer: root })
  return areas.flatMap((area, at) =>
    areas
      .slice(at + 1)
      .filter((other) => other.layer === area.layer && isCrossing(area, other))
      .map((other) => `${area.text} | ${other.text}`),
  )
}

const isCrossing = (one: Area, other: Area): boolean =>
  Math.max(one.top, other.top) < Math.min(one.bottom, other.bottom) &&
  Math.max(one.left, other.left) < Math.min(one.right, other.right)

function areasIn(node: DOMElement, around: Place): readonly Area[] {
  const { yogaNode, style } = node
  if (!yogaNode || style.display === 'none') return []
  const [y, x] = [around.y + yogaNode.getComputedTop(), around.x + yogaNode.getComputedLeft()]
  const [height, width] = [yogaNode.getComputedHeight(), yogaNode.getComputedWidth()]
  if (node.nodeName === 'ink-text')
    return areaOf(textOf(node), { ...around, y, x }, { height: Math.max(height, linesOf(node, width)), width })
  const isHidden = style.overflowY === 'hidden' || style.overflow === 'hidden'
  const place = {
    ...around,
    ...(isHidden && { top: Math.max(around.top, y), bottom: Math.min(around.bottom, y + height) }),
    y,
    x,
    layer: style.position === 'absolute' ? node : around.layer,
  }
  return node.childNodes.flatMap((child) => (child.nodeName === '#text' ? [] : areasIn(child as DOMElement, place)))
}

/** The lines that are painted of a text, however little height it has. */
const linesOf = (node: DOMElement, width: number): number =>
  node.style.textWrap === 'wrap' ? Math.ceil(displayWidth(textOf(node)) / Math.max(1, width)) : 1

/** What is seen of a text. */
function areaOf(
  text: string,
  { top, bottom, left, right, y, x, layer }: Place,
  { height, width }: { readonly height: number; readonly width: number },
): readonly Area[] {
  const area = {
    text,
    layer,
    top: Math.max(top, y),
    bottom: Math.min(bottom, y + height),
    left: Math.max(left, x),
    right: Math.min(right, x + Math.min(width, displayWidth(text))),
  }
  return text.trim() === '' || area.top >= area.bottom ? [] : [area]
}

const textOf = (node: DOMElement): string =>
  node.childNodes
    .map((child) =>
      'nodeValue' in child && child.nodeName === '#text' ? child.nodeValue : textOf(child as DOMElement),
    )
    .join('')

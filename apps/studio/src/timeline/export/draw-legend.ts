import { drawElement } from './draw-element.ts'

const ROW_HEIGHT = 20
const GAP = 18
const SWATCH_GAP = 7

/** Position of a legend in an image. */
interface LegendPlace {
  readonly left: number
  readonly top: number
  readonly right: number
}

/** A legend in an image. */
interface DrawnLegend {
  readonly drawing: SVGGElement
  readonly height: number
}

/** Draws the entries of a legend, each a swatch with a label, in rows. */
export function drawLegend(
  entries: readonly HTMLElement[],
  { left, top, right }: LegendPlace,
): DrawnLegend {
  const drawing = drawElement('g')
  let x = left
  let y = top
  for (const entry of entries) {
    const { width } = entry.getBoundingClientRect()
    if (x > left && x + width > right) {
      x = left
      y += ROW_HEIGHT
    }
    drawing.append(...drawEntry(entry, x, y + ROW_HEIGHT / 2))
    x += width + GAP
  }
  return { drawing, height: entries.length > 0 ? y - top + ROW_HEIGHT : 0 }
}

function drawEntry(entry: HTMLElement, x: number, middle: number): SVGElement[] {
  const swatch = entry.querySelector('.tl-swatch')
  const { color, fontFamily, fontSize } = getComputedStyle(entry)
  const width = swatch?.getBoundingClientRect().width ?? 0
  const label = drawElement('text', {
    x: x + width + SWATCH_GAP,
    y: middle + 4,
    fill: color,
    'font-family': fontFamily,
    'font-size': fontSize,
  })
  label.textContent = entry.textContent
  return swatch ? [drawSwatch(swatch, x, middle), label] : [label]
}

/** Draws a swatch as a rectangle or as a line. */
function drawSwatch(swatch: Element, x: number, middle: number): SVGElement {
  const { width, height } = swatch.getBoundingClientRect()
  const styles = getComputedStyle(swatch)
  const edge = Number.parseFloat(styles.borderTopWidth)
  const dashes = { dotted: `${edge} ${edge}`, dashed: '3 2' }[styles.borderTopStyle] ?? 'none'
  const stroke = {
    stroke: edge > 0 ? styles.borderTopColor : 'none',
    'stroke-width': edge,
    'stroke-dasharray': dashes,
  }
  if (height <= edge) {
    return drawElement('line', { x1: x, x2: x + width, y1: middle, y2: middle, ...stroke })
  }
  const size = { width: width - edge, height: height - edge, rx: styles.borderTopLeftRadius }
  const place = { x: x + edge / 2, y: middle - (height - edge) / 2 }
  return drawElement('rect', { ...place, ...size, fill: styles.backgroundColor, ...stroke })
}

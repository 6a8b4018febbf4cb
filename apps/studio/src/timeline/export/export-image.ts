/** The namespace of SVG. */
const NAMESPACE = 'http://www.w3.org/2000/svg'

const ROW_HEIGHT = 20

const GAP = 18

const SWATCH_GAP = 7

/** Style properties of shapes that are written into the file, which has no style sheet. */
const styleProperties = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
]
const textStyleProperties = ['font-family', 'font-size', 'font-weight', 'text-anchor']

const MARGIN = 24
const TITLE_HEIGHT = 34

/** A chart of an image with its title. */
export interface ChartImage {
  readonly title: string
  readonly chart: SVGSVGElement
}

/** Draws charts and their legend as one SVG without a style sheet. */
export function toSvg(
  charts: readonly ChartImage[],
  legend: readonly HTMLElement[],
): SVGSVGElement {
  const { color, backgroundColor, fontFamily } = getComputedStyle(document.body)
  const image = drawElement('svg')
  let top = MARGIN
  let width = 0
  for (const { title, chart } of charts) {
    const font = { 'font-family': fontFamily, 'font-size': 14, 'font-weight': 600 }
    const heading = drawElement('text', { x: MARGIN, y: top + 16, fill: color, ...font })
    heading.textContent = title
    const part = drawElement('g', { transform: `translate(${MARGIN} ${top + TITLE_HEIGHT})` })
    part.append(...[...chart.children].map(toPlain))
    image.append(heading, part)
    top += TITLE_HEIGHT + chart.height.baseVal.value + MARGIN
    width = Math.max(width, chart.width.baseVal.value + 2 * MARGIN)
  }
  const place = { left: MARGIN, top: top - MARGIN / 2, right: width - MARGIN }
  const { drawing, height } = drawLegend(legend, place)
  image.append(drawing)
  top += height
  image.prepend(drawElement('rect', { width, height: top, fill: backgroundColor }))
  setAttributes(image, { xmlns: NAMESPACE, width, height: top, viewBox: `0 0 ${width} ${top}` })
  return image
}

/** Returns an SVG file. */
export function toSvgFile(image: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(image)], { type: 'image/svg+xml' })
}

/** Returns a PNG file with twice the resolution. */
export async function toPngFile(image: SVGSVGElement): Promise<Blob> {
  const scale = 2
  const address = URL.createObjectURL(toSvgFile(image))
  try {
    const picture = new Image()
    picture.src = address
    await picture.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width.baseVal.value * scale
    canvas.height = image.height.baseVal.value * scale
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The image is too large.'))))
    })
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** Copies an element with its computed style. */
function toPlain(element: Element): Element {
  const copy = document.createElementNS(NAMESPACE, element.tagName)
  for (const name of [
    'x',
    'y',
    'width',
    'height',
    'rx',
    'x1',
    'x2',
    'y1',
    'y2',
    'd',
    'cx',
    'cy',
    'r',
  ]) {
    const value = element.getAttribute(name)
    if (value !== null) copy.setAttribute(name, value)
  }
  if (element.tagName !== 'g') {
    const style = getComputedStyle(element)
    const names =
      element.tagName === 'text' ? [...styleProperties, ...textStyleProperties] : styleProperties
    for (const name of names) copy.setAttribute(name, style.getPropertyValue(name))
  }
  if (element.children.length > 0) copy.append(...[...element.children].map(toPlain))
  else copy.textContent = element.textContent
  return copy
}

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
function drawLegend(
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

/** Attributes of an SVG element. */
type Attributes = Readonly<Record<string, string | number>>

/** Creates an SVG element. */
function drawElement<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(NAMESPACE, name)
  setAttributes(element, attributes)
  return element
}

/** Sets attributes of an SVG element. */
function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
}

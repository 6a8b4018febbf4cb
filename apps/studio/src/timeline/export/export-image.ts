import { NAMESPACE, drawElement, setAttributes } from './draw-element.ts'
import { drawLegend } from './draw-legend.ts'

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

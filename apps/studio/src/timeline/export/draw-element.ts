/** The namespace of SVG. */
export const NAMESPACE = 'http://www.w3.org/2000/svg'

/** Attributes of an SVG element. */
export type Attributes = Readonly<Record<string, string | number>>

/** Creates an SVG element. */
export function drawElement<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(NAMESPACE, name)
  setAttributes(element, attributes)
  return element
}

/** Sets attributes of an SVG element. */
export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
}

/** What elements of a drawing are named in. */
export const NAMESPACE = 'http://www.w3.org/2000/svg'

/** Attributes of an element of a drawing. */
export type Attributes = Readonly<Record<string, string | number>>

/** Creates an element of a drawing. */
export function drawElement<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(NAMESPACE, name)
  setAttributes(element, attributes)
  return element
}

/** Sets attributes of an element of a drawing. */
export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
}

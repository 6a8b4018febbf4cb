/** Opens the cards of a row that hold a text in what they have folded away; case does not matter. */
export function openFolds(row: Element | undefined, text: string): void {
  const wanted = text.trim().toLowerCase()
  if (!row || wanted === '') return
  for (const card of row.querySelectorAll<HTMLDetailsElement>('details.card:not([open])')) {
    const body = card.querySelector('.card-body')?.textContent ?? ''
    if (body.toLowerCase().includes(wanted)) card.open = true
  }
}

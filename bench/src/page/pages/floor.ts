/** Reads the stream to its end and shows nothing: the minimum work of any page. */
async function read(main: HTMLElement): Promise<void> {
  const { body } = await fetch('/chat', { method: 'POST' })
  const reader = body?.getReader()
  while (reader !== undefined && !(await reader.read()).done);
  main.dataset['state'] = 'done'
}

const main = document.querySelector('main')
main?.addEventListener('click', () => void read(main))

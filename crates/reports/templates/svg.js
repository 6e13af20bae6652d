// Elements of drawings.

const svg = (name, attributes, content) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (content !== undefined) made.textContent = content;
  return made;
};

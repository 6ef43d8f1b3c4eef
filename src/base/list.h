/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * List: doubly linked, intrusive, circular with a head. The owner embeds the link, so adding
 * cannot fail. A link that is in no list points to itself.
 */
#ifndef BERTH_BASE_LIST_H
#define BERTH_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next;
	struct list *prev;
};

#define LIST_OWNER(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

static inline void list_init(struct list *l)
{
	l->next = l;
	l->prev = l;
}
static inline bool list_is_empty(const struct list *head)
{
	return head->next == head;
}
static inline void list_add_last(struct list *head, struct list *link)
{
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}
static inline void list_add_first(struct list *head, struct list *link)
{
	list_add_last(head->next, link);
}
static inline void list_remove(struct list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	list_init(link);
}
static inline struct list *list_first(const struct list *head)
{
	return list_is_empty(head) ? NULL : head->next;
}

#endif

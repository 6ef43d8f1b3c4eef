/* SPDX-License-Identifier: GPL-2.0-only */
/* The intrusive list. */
#include "base/list.h"

#include "unity.h"

struct item {
	int number;
	struct list link;
};

static struct list head;

void setUp(void)
{
	list_init(&head);
}

void tearDown(void)
{
}

static int number_at(int place)
{
	struct list *link = head.next;
	for (int i = 0; i < place; i++)
		link = link->next;
	return LIST_OWNER(link, const struct item, link)->number;
}

static void test_empty(void)
{
	TEST_ASSERT_TRUE(list_is_empty(&head));
	TEST_ASSERT_NULL(list_first(&head));
}

static void test_order(void)
{
	struct item items[] = {{.number = 0}, {.number = 1}, {.number = 2}};
	list_add_last(&head, &items[1].link);
	list_add_last(&head, &items[2].link);
	list_add_first(&head, &items[0].link);
	for (int i = 0; i < 3; i++)
		TEST_ASSERT_EQUAL_INT(i, number_at(i));
	TEST_ASSERT_EQUAL_PTR(&items[0].link, list_first(&head));
	TEST_ASSERT_EQUAL_PTR(&head, items[2].link.next);
	TEST_ASSERT_EQUAL_PTR(&items[2].link, head.prev);
}

static void test_remove_at_every_place(void)
{
	for (int removed = 0; removed < 3; removed++) {
		struct item items[] = {{.number = 0}, {.number = 1}, {.number = 2}};
		list_init(&head);
		for (int i = 0; i < 3; i++)
			list_add_last(&head, &items[i].link);
		list_remove(&items[removed].link);
		TEST_ASSERT_TRUE(list_is_empty(&items[removed].link));
		TEST_ASSERT_EQUAL_INT(removed == 0 ? 1 : 0, number_at(0));
		TEST_ASSERT_EQUAL_INT(removed == 2 ? 1 : 2, number_at(1));
		list_remove(&items[removed].link); /* harmless: it is in no list */
		list_remove(&items[(removed + 1) % 3].link);
		list_remove(&items[(removed + 2) % 3].link);
		TEST_ASSERT_TRUE(list_is_empty(&head));
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_empty);
	RUN_TEST(test_order);
	RUN_TEST(test_remove_at_every_place);
	return UNITY_END();
}
